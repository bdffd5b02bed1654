package io.github.rdmaboot.endpoint;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Future of a message, in the form in which it was asked for.
 *
 * @param <T> the form
 */
final class PendingReceive<T> {

	private final CompletableFuture<T> future = new CompletableFuture<>();

	private final Function<RdmaMessage, T> form;

	PendingReceive(Function<RdmaMessage, T> form) {
		this.form = form;
	}

	CompletableFuture<T> future() {
		return this.future;
	}

	boolean isDone() {
		return this.future.isDone();
	}

	// Return whether it took the message, and was not cancelled.
	boolean complete(RdmaMessage message) {
		return this.future.complete(this.form.apply(message));
	}

	void fail(RuntimeException reason) {
		this.future.completeExceptionally(reason);
	}

}
