package io.github.rdmaboot.cm;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;

import io.github.rdmaboot.provider.RdmaProvider;

/**
 * Events delivered to a CM id and events acknowledged, because a destroy blocks for ever
 * while the two differ. Written under the channel's fetch lock; the counts may be read by
 * any thread.
 */
final class EventLedger {

	private final Deque<Long> unacknowledged = new ArrayDeque<>(1);

	private final AtomicLong delivered = new AtomicLong();

	private final AtomicLong acknowledged = new AtomicLong();

	void delivered(long event) {
		this.delivered.incrementAndGet();
		this.unacknowledged.add(event);
	}

	// Acknowledge everything that was delivered. An acknowledgement that fails stays in
	// the ledger, so that the destroy tries it again before it could block.
	void acknowledgeAll(RdmaProvider provider) {
		while (!this.unacknowledged.isEmpty()) {
			provider.rdmaAckCmEvent(this.unacknowledged.getFirst());
			this.unacknowledged.removeFirst();
			this.acknowledged.incrementAndGet();
		}
	}

	long delivered() {
		return this.delivered.get();
	}

	long acknowledged() {
		return this.acknowledged.get();
	}

}
