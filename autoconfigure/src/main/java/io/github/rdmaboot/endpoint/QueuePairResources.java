package io.github.rdmaboot.endpoint;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.verbs.CompletionQueue;
import io.github.rdmaboot.verbs.QueuePair;
import org.jspecify.annotations.Nullable;

/**
 * Queue pair with its completion queue, and what ends their use. What was not made is
 * passed over.
 */
final class QueuePairResources {

	/** How long to wait for completions before looking for them, at first and at last. */
	private static final long MIN_POLL_INTERVAL_NANOS = 100_000;

	private static final long MAX_POLL_INTERVAL_NANOS = 20_000_000;

	private static final long HANDLER_INTERVAL_NANOS = 1_000_000;

	private volatile @Nullable CompletionQueue queue;

	private volatile @Nullable QueuePair queuePair;

	void queue(CompletionQueue queue) {
		this.queue = queue;
	}

	void queuePair(QueuePair queuePair) {
		this.queuePair = queuePair;
	}

	@Nullable CompletionQueue queue() {
		return this.queue;
	}

	@Nullable QueuePair queuePair() {
		return this.queuePair;
	}

	void closeGate() {
		QueuePair queuePair = this.queuePair;
		if (queuePair != null) {
			queuePair.closeGate();
		}
	}

	// Have completions looked for at once only as long as there are such requests.
	void notifyWhile(OutstandingRequests urgent) {
		CompletionQueue queue = this.queue;
		if (queue != null) {
			queue.notifyWhile(() -> urgent.count() > 0);
		}
	}

	void flush() {
		QueuePair queuePair = this.queuePair;
		if (queuePair != null) {
			queuePair.flush();
		}
	}

	// Wait until every request has completed and no handler is running. Looks for
	// completions itself from time to time, as their events lead to no polls any more.
	boolean drain(Deadline deadline, BooleanSupplier idle, OutstandingRequests... outstanding) {
		for (long interval = MIN_POLL_INTERVAL_NANOS;; interval = Math.min(2 * interval, MAX_POLL_INTERVAL_NANOS)) {
			pollFor(outstanding);
			boolean none = awaitNone(outstanding, Math.min(interval, Math.max(1, deadline.remainingNanos())));
			if (none && idle.getAsBoolean()) {
				return true;
			}
			if (deadline.remainingNanos() == 0) {
				return false;
			}
			if (none) {
				LockSupport.parkNanos(HANDLER_INTERVAL_NANOS);
			}
		}
	}

	private void pollFor(OutstandingRequests[] outstanding) {
		CompletionQueue queue = this.queue;
		int count = 0;
		for (OutstandingRequests requests : outstanding) {
			count += requests.count();
		}
		if (queue != null && count > 0) {
			queue.poll();
		}
	}

	private static boolean awaitNone(OutstandingRequests[] outstanding, long timeoutNanos) {
		for (OutstandingRequests requests : outstanding) {
			if (!requests.awaitNone(timeoutNanos)) {
				return false;
			}
		}
		return true;
	}

	void destroyQueuePair() {
		QueuePair queuePair = this.queuePair;
		if (queuePair != null) {
			queuePair.destroy();
		}
	}

	void destroyQueue() {
		CompletionQueue queue = this.queue;
		if (queue != null) {
			queue.close();
		}
	}

}
