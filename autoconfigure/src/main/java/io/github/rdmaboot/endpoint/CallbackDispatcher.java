package io.github.rdmaboot.endpoint;

import java.util.concurrent.Executor;

import io.github.rdmaboot.verbs.CompletionThread;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the callbacks of applications where they are to run: on the handler executor, or
 * on the completion thread itself, which allocates nothing.
 */
final class CallbackDispatcher {

	private static final Logger logger = LoggerFactory.getLogger(CallbackDispatcher.class);

	private final Executor executor;

	private final boolean onCompletionThread;

	CallbackDispatcher(Executor executor) {
		this.executor = executor;
		this.onCompletionThread = executor instanceof CompletionExecutor;
	}

	void completed(OperationCallback callback, long result, @Nullable RuntimeException error) {
		if (callback instanceof DirectCallback) {
			callback.completed(result, error);
			return;
		}
		CompletionThread thread = this.onCompletionThread ? CompletionThread.beginHandler() : null;
		if (thread == null) {
			this.executor.execute(() -> callback.completed(result, error));
			return;
		}
		try {
			callback.completed(result, error);
		}
		catch (RuntimeException | Error ex) {
			logger.warn("The callback of an RDMA operation failed", ex);
		}
		finally {
			thread.endHandler();
		}
	}

	void sent(SendCallback callback, @Nullable RuntimeException error) {
		CompletionThread thread = this.onCompletionThread ? CompletionThread.beginHandler() : null;
		if (thread == null) {
			this.executor.execute(() -> callback.sent(error));
			return;
		}
		try {
			callback.sent(error);
		}
		catch (RuntimeException | Error ex) {
			logger.warn("The callback of a message failed", ex);
		}
		finally {
			thread.endHandler();
		}
	}

}
