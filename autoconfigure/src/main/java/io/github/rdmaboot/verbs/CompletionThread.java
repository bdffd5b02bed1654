package io.github.rdmaboot.verbs;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Daemon thread that takes completions, on which handlers may run too. Its fields are
 * written by the thread itself only.
 */
public final class CompletionThread extends Thread {

	private static final Logger logger = LoggerFactory.getLogger(CompletionThread.class);

	private final Deque<Runnable> waiting = new ArrayDeque<>();

	private volatile boolean running;

	/** Runs what may start threads, if this thread is pinned. */
	private final @Nullable ExecutorService companion;

	private CompletionThread(Runnable work, String name, @Nullable ExecutorService companion) {
		super(work, name);
		this.companion = companion;
		setDaemon(true);
	}

	// Make threads that run on one CPU only, if one is given.
	static ThreadFactory factory(RdmaProvider provider, String name, @Nullable Integer cpu) {
		if (cpu == null) {
			return (work) -> new CompletionThread(work, name, null);
		}
		return (work) -> {
			ExecutorService companion = companion(name);
			return new CompletionThread(() -> {
				pin(provider, cpu);
				try {
					work.run();
				}
				finally {
					companion.shutdown();
				}
			}, name, companion);
		};
	}

	private static ExecutorService companion(String name) {
		ThreadPoolExecutor executor = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				(work) -> {
					Thread thread = new Thread(work, name + "-unpinned");
					thread.setDaemon(true);
					return thread;
				});
		executor.prestartCoreThread();
		return executor;
	}

	/**
	 * Run a task that may start threads on the calling thread, or later on a companion of
	 * it if it is a completion thread that is pinned to a CPU: a thread inherits the CPU
	 * of the one that starts it, and would share it with the polling.
	 * @param task the task; what it throws on the companion goes to the log
	 */
	public static void runUnpinned(Runnable task) {
		if (Thread.currentThread() instanceof CompletionThread thread && thread.companion != null) {
			thread.companion.execute(() -> runLogged(task));
		}
		else {
			task.run();
		}
	}

	// That the CPU can be used was checked when the endpoint started.
	private static void pin(RdmaProvider provider, int cpu) {
		try {
			provider.pinThread(cpu);
		}
		catch (RdmaException ex) {
			logger.warn("Thread '{}' runs on any CPU, because it cannot be pinned to CPU {}",
					Thread.currentThread().getName(), cpu, ex);
		}
	}

	// Return whether a thread is a completion thread that is inside a handler.
	static boolean isHandling(Thread thread) {
		return thread instanceof CompletionThread completionThread && completionThread.running;
	}

	/**
	 * Return whether the calling thread is a completion thread, which must not wait for a
	 * completion.
	 * @return whether it is
	 */
	public static boolean isCurrent() {
		return Thread.currentThread() instanceof CompletionThread;
	}

	/**
	 * Begin to run a handler on the calling thread, without a task made for it.
	 * @return the calling thread, whose {@link #endHandler} must be called after the
	 * handler; or {@code null} if it is no completion thread or runs a handler already
	 */
	public static @Nullable CompletionThread beginHandler() {
		if (Thread.currentThread() instanceof CompletionThread thread && !thread.running) {
			thread.running = true;
			return thread;
		}
		return null;
	}

	/**
	 * End a handler, and run the tasks that it left.
	 */
	public void endHandler() {
		try {
			for (Runnable next = this.waiting.poll(); next != null; next = this.waiting.poll()) {
				runLogged(next);
			}
		}
		finally {
			this.running = false;
		}
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
		runLogged(task);
		thread.endHandler();
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
