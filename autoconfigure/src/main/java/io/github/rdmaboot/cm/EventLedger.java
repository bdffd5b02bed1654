package io.github.rdmaboot.cm;

import java.util.ArrayDeque;
import java.util.Deque;

import io.github.rdmaboot.provider.RdmaProvider;
import org.jspecify.annotations.Nullable;

/**
 * Events delivered to a CM id and events acknowledged, because a destroy blocks for ever
 * while the two differ. Written under the channel's fetch lock; the counts may be read by
 * any thread.
 */
final class EventLedger {

	// Made with the first event, for there may be many ids that never have one.
	private @Nullable Deque<Long> unacknowledged;

	private volatile long delivered;

	private volatile long acknowledged;

	void delivered(long event) {
		long before = this.delivered;
		this.delivered = before + 1;
		Deque<Long> unacknowledged = this.unacknowledged;
		if (unacknowledged == null) {
			unacknowledged = new ArrayDeque<>(1);
			this.unacknowledged = unacknowledged;
		}
		unacknowledged.add(event);
	}

	// Acknowledge everything that was delivered; returns how many that were. An
	// acknowledgement that fails stays in the ledger, so that the destroy tries it again
	// before it could block.
	int acknowledgeAll(RdmaProvider provider) {
		Deque<Long> unacknowledged = this.unacknowledged;
		int count = 0;
		while (unacknowledged != null && !unacknowledged.isEmpty()) {
			provider.rdmaAckCmEvent(unacknowledged.getFirst());
			unacknowledged.removeFirst();
			long before = this.acknowledged;
			this.acknowledged = before + 1;
			count++;
		}
		return count;
	}

	long delivered() {
		return this.delivered;
	}

	long acknowledged() {
		return this.acknowledged;
	}

}
