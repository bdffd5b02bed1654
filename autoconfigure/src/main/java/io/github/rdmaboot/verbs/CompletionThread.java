package io.github.rdmaboot.verbs;

import java.util.ArrayDeque;
import java.util.Deque;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Daemon thread that takes completions, on which handlers may run too. Its fields are
 * used by the thread itself only.
 */
public final class CompletionThread extends Thread {

	private static final Logger logger = LoggerFactory.getLogger(CompletionThread.class);

	private final Deque<Runnable> waiting = new ArrayDeque<>();

	private boolean running;

	CompletionThread(Runnable work, String name) {
		super(work, name);
		setDaemon(true);
	}

	/**
	 * Run a task on the calling thread if that is a completion thread: before the method
	 * returns, or after the task that calls it. What a task throws goes to the log.
	 * @param task the task, which must not block
	 * @return whether the calling thread is a completion thread
	 */
	public static boolean tryRun(Runnable task) {
		if (!(Thread.currentThread() instanceof CompletionThread thread)) {
			return false;
		}
		if (thread.running) {
			thread.waiting.add(task);
			return true;
		}
		thread.running = true;
		try {
			for (@Nullable
			Runnable next = task; next != null; next = thread.waiting.poll()) {
				runLogged(next);
			}
		}
		finally {
			thread.running = false;
		}
		return true;
	}

	private static void runLogged(Runnable task) {
		try {
			task.run();
		}
		catch (RuntimeException | Error ex) {
			logger.warn("A handler on a completion thread failed", ex);
		}
	}

}
