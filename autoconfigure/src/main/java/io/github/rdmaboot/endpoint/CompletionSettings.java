package io.github.rdmaboot.endpoint;

import java.util.concurrent.Executor;

/**
 * How the completions of an endpoint's connections are taken and handed on.
 *
 * @param handlers where message handlers, callbacks and what depends on futures run
 */
public record CompletionSettings(HandlerThread handlers) {

	/**
	 * Return the settings that hold unless configured otherwise.
	 * @return handlers on the executor
	 */
	public static CompletionSettings defaults() {
		return new CompletionSettings(HandlerThread.EXECUTOR);
	}

	Executor executor(Executor handlerExecutor) {
		return (this.handlers == HandlerThread.COMPLETION_THREAD) ? new CompletionExecutor(handlerExecutor)
				: handlerExecutor;
	}

}
