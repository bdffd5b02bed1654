package io.github.rdmaboot.endpoint;

import java.util.concurrent.Executor;

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
		CompletionThread.runUnpinned(() -> hand(() -> run(task)));
	}

	private void hand(Runnable logged) {
		try {
			this.delegate.execute(logged);
		}
		catch (RuntimeException | OutOfMemoryError ex) {
			logger.debug("The handler executor did not take a task, which gets a thread of its own", ex);
			runApart(logged);
		}
	}

	private static void runApart(Runnable task) {
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

	private static void run(Runnable task) {
		try {
			task.run();
		}
		catch (RuntimeException | Error ex) {
			logger.warn("A handler of an RDMA endpoint failed", ex);
		}
	}

}
