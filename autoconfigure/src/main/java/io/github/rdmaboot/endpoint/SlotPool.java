package io.github.rdmaboot.endpoint;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Free places of a queue, by number. A thread reserves as many as it needs, all at once
 * so that two never wait for each other, and then takes them one by one.
 * <p>
 * {@code permits} counts what can be reserved; it is never more than there are in the
 * stack whose top is {@code head}: the number of the top plus one in the lower half, and
 * in the upper half a count of changes, so that a top which left and came back is
 * noticed.
 */
final class SlotPool {

	private final AtomicIntegerArray below;

	private final AtomicLong head = new AtomicLong();

	private final Permits permits = new Permits(0);

	SlotPool(int size) {
		this.below = new AtomicIntegerArray(size);
		for (int slot = size - 1; slot >= 0; slot--) {
			giveBack(slot);
		}
	}

	// Reserve places, waiting for them if the time is more than 0.
	Permits.Reservation reserve(int count, long timeoutNanos) {
		return this.permits.reserve(count, timeoutNanos);
	}

	// What is reserved before places are taken.
	Permits permits() {
		return this.permits;
	}

	// Take one of the places that were reserved.
	int take() {
		while (true) {
			long top = this.head.get();
			int slot = (int) top - 1;
			if (this.head.compareAndSet(top, changed(top, this.below.get(slot)))) {
				return slot;
			}
		}
	}

	void giveBack(int slot) {
		long top;
		do {
			top = this.head.get();
			this.below.set(slot, (int) top);
		}
		while (!this.head.compareAndSet(top, changed(top, slot + 1)));
		this.permits.giveBack(1);
	}

	// Let nobody reserve any more, nor wait for it.
	void close() {
		this.permits.close();
	}

	private static long changed(long top, int slotPlusOne) {
		return ((top >>> 32) + 1) << 32 | slotPlusOne;
	}

}
