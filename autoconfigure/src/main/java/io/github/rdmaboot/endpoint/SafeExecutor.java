package io.github.rdmaboot.endpoint;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

import io.github.rdmaboot.verbs.CompletionThread;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executor that loses no task, so that no future stays open: one that the application's
 * executor does not take, because it is shut down or full, gets a thread of its own. What
 * a task throws goes to the log.
 */
final class SafeExecutor implements Executor {

	private static final Logger logger = LoggerFactory.getLogger(SafeExecutor.class);

	private final Executor delegate;

	SafeExecutor(Executor delegate) {
		this.delegate = delegate;
	}

	@Override
	public void execute(Runnable task) {
		CompletionThread.runUnpinned(() -> hand(new Handed(task)));
	}

	private void hand(Handed task) {
		try {
			this.delegate.execute(task);
		}
		catch (RuntimeException | Error ex) {
			logger.debug("The handler executor did not take a task, which gets a thread of its own", ex);
			runApart(task);
			return;
		}
		// Some policies lose what comes after the shutdown without a word.
		if (this.delegate instanceof ExecutorService service && service.isShutdown()) {
			runApart(task);
		}
	}

	private static void runApart(Handed task) {
		if (task.isBegun()) {
			return;
		}
		Thread thread = new Thread(task, "rdma-rejected-handler");
		thread.setDaemon(true);
		try {
			thread.start();
		}
		catch (OutOfMemoryError ex) {
			logger.warn("No thread could be started for a handler, so the calling one runs it", ex);
			task.run();
		}
	}

	/**
	 * Task that is run once, though an executor that may have lost it has it perhaps.
	 */
	private static final class Handed implements Runnable {

		private static final AtomicIntegerFieldUpdater<Handed> BEGUN = AtomicIntegerFieldUpdater
			.newUpdater(Handed.class, "begun");

		private final Runnable task;

		private volatile int begun;

		private Handed(Runnable task) {
			this.task = task;
		}

		private boolean isBegun() {
			return this.begun != 0;
		}

		@Override
		public void run() {
			if (!BEGUN.compareAndSet(this, 0, 1)) {
				return;
			}
			try {
				this.task.run();
			}
			catch (RuntimeException | Error ex) {
				logger.warn("A handler of an RDMA endpoint failed", ex);
			}
		}

	}

}
