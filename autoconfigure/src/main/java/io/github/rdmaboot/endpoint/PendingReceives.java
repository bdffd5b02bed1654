package io.github.rdmaboot.endpoint;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Futures that wait for a message, and copies of messages that wait for a future. The
 * monitor of this object guards all; futures are completed without it.
 */
final class PendingReceives {

	private final Deque<PendingReceive<?>> waiting = new ArrayDeque<>();

	private final Deque<RdmaMessage> untaken = new ArrayDeque<>();

	private @Nullable Supplier<RuntimeException> closed;

	synchronized <T> CompletableFuture<T> add(Function<RdmaMessage, T> form) {
		PendingReceive<T> receive = new PendingReceive<>(form);
		RdmaMessage untaken = this.untaken.poll();
		if (untaken != null) {
			receive.complete(untaken);
		}
		else if (this.closed != null) {
			receive.fail(this.closed.get());
		}
		else {
			this.waiting.add(receive);
		}
		return receive.future();
	}

	synchronized boolean isAny() {
		this.waiting.removeIf(PendingReceive::isDone);
		return !this.waiting.isEmpty();
	}

	synchronized @Nullable PendingReceive<?> poll() {
		this.waiting.removeIf(PendingReceive::isDone);
		return this.waiting.poll();
	}

	// Keep a message for those who still ask.
	synchronized void keep(RdmaMessage message) {
		this.untaken.add(message);
	}

	// A future that was cancelled meanwhile leaves its message to the next.
	void complete(PendingReceive<?> first, RdmaMessage message) {
		PendingReceive<?> receive = first;
		while (receive != null && !receive.complete(message)) {
			receive = nextOrKeep(message);
		}
	}

	private synchronized @Nullable PendingReceive<?> nextOrKeep(RdmaMessage message) {
		PendingReceive<?> next = this.waiting.poll();
		if (next == null) {
			this.untaken.add(message);
		}
		return next;
	}

	// Give what is kept to those who wait, and tell the others that no more comes.
	void close(Supplier<RuntimeException> reason, Executor executor) {
		Map<PendingReceive<?>, RdmaMessage> served = new LinkedHashMap<>();
		List<PendingReceive<?>> untold;
		synchronized (this) {
			if (this.closed != null) {
				return;
			}
			this.closed = reason;
			this.waiting.removeIf(PendingReceive::isDone);
			while (!this.waiting.isEmpty() && !this.untaken.isEmpty()) {
				served.put(this.waiting.remove(), this.untaken.remove());
			}
			untold = new ArrayList<>(this.waiting);
			this.waiting.clear();
		}
		served.forEach((receive, message) -> executor.execute(() -> complete(receive, message)));
		untold.forEach((receive) -> executor.execute(() -> receive.fail(reason.get())));
	}

}
