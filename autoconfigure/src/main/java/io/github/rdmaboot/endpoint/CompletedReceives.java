package io.github.rdmaboot.endpoint;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Receives of a connection that completed and whose messages have not been taken, in
 * their order. One thread at a time puts, and one at a time takes; neither allocates nor
 * locks.
 * <p>
 * They are linked by what the buffers keep of each, for a buffer is of one connection at
 * a time: so an idle connection takes no memory for the buffers that it shares with
 * others. What is put is linked backwards from {@code incoming}; whoever takes turns that
 * around, all at once, into a list from {@code head}.
 */
final class CompletedReceives {

	private static final int NONE = -1;

	private final ReceiveRecords records;

	private final AtomicInteger incoming = new AtomicInteger(NONE);

	private final AtomicInteger head = new AtomicInteger(NONE);

	CompletedReceives(ReceiveRecords records) {
		this.records = records;
	}

	void put(int slot, int length, boolean withImmediate, int immediate) {
		this.records.lengths[slot] = length;
		this.records.withImmediate[slot] = withImmediate;
		this.records.immediates[slot] = immediate;
		int before;
		do {
			before = this.incoming.get();
			this.records.links[slot] = before;
		}
		while (!this.incoming.compareAndSet(before, slot));
	}

	// Asked while another thread takes, it may miss what that one is about to take.
	boolean isEmpty() {
		return this.head.get() == NONE && this.incoming.get() == NONE;
	}

	// The first of those that are there, which stays until it is removed.
	int slot() {
		int slot = this.head.get();
		return (slot != NONE) ? slot : turnAround();
	}

	int length() {
		return this.records.lengths[slot()];
	}

	boolean hasImmediate() {
		return this.records.withImmediate[slot()];
	}

	int immediate() {
		return this.records.immediates[slot()];
	}

	// From now on the buffer may be posted again.
	void remove() {
		this.head.set(this.records.links[slot()]);
	}

	private int turnAround() {
		int[] links = this.records.links;
		int first = NONE;
		int slot = this.incoming.getAndSet(NONE);
		while (slot != NONE) {
			int earlier = links[slot];
			links[slot] = first;
			first = slot;
			slot = earlier;
		}
		this.head.set(first);
		return first;
	}

}
