package io.github.rdmaboot.endpoint;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * Callback that is a future: completes with the result of one operation, on the thread on
 * which callbacks run, or exceptionally with its error. Cancelling it does not stop the
 * operation.
 */
public final class OperationFuture extends CompletableFuture<Long> implements OperationCallback {

	@Override
	public void completed(long result, @Nullable RuntimeException error) {
		if (error != null) {
			completeExceptionally(error);
		}
		else {
			complete(result);
		}
	}

}
