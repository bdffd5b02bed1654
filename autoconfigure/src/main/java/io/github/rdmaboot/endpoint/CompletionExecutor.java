package io.github.rdmaboot.endpoint;

import java.util.concurrent.Executor;

import io.github.rdmaboot.verbs.CompletionThread;

/**
 * Executor that runs what completions cause on the thread that takes them, and all else
 * on the handler executor: other threads, of the application or of a destroy, must not be
 * held up by handlers.
 */
final class CompletionExecutor implements Executor {

	private final Executor handlerExecutor;

	CompletionExecutor(Executor handlerExecutor) {
		this.handlerExecutor = handlerExecutor;
	}

	@Override
	public void execute(Runnable task) {
		if (!CompletionThread.tryRun(task)) {
			this.handlerExecutor.execute(task);
		}
	}

}
