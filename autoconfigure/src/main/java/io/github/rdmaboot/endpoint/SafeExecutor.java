package io.github.rdmaboot.endpoint;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executor that loses no task: one that the application's executor rejects, because it is
 * shut down or full, is run by the caller, so that no future stays open.
 */
final class SafeExecutor implements Executor {

	private static final Logger logger = LoggerFactory.getLogger(SafeExecutor.class);

	private final Executor delegate;

	SafeExecutor(Executor delegate) {
		this.delegate = delegate;
	}

	@Override
	public void execute(Runnable task) {
		try {
			this.delegate.execute(task);
		}
		catch (RejectedExecutionException ex) {
			logger.debug("The handler executor rejected a task, which is run by the caller", ex);
			try {
				task.run();
			}
			catch (RuntimeException | Error failure) {
				logger.warn("A handler failed", failure);
			}
		}
	}

}
