package io.github.rdmaboot.endpoint;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Receives that completed and whose messages have not been taken, in their order. One
 * thread at a time puts, and one at a time takes; neither allocates nor locks.
 */
final class CompletedReceives {

	private final int[] slots;

	private final int[] lengths;

	private final int[] immediates;

	private final boolean[] withImmediate;

	private final int mask;

	private final AtomicInteger head = new AtomicInteger();

	private final AtomicInteger tail = new AtomicInteger();

	// Holds as many as there are receives, so it is never full.
	CompletedReceives(int receives) {
		int capacity = (receives > 1) ? Integer.highestOneBit(receives - 1) << 1 : 1;
		this.slots = new int[capacity];
		this.lengths = new int[capacity];
		this.immediates = new int[capacity];
		this.withImmediate = new boolean[capacity];
		this.mask = capacity - 1;
	}

	void put(int slot, int length, boolean withImmediate, int immediate) {
		int tail = this.tail.getPlain();
		int index = tail & this.mask;
		this.slots[index] = slot;
		this.lengths[index] = length;
		this.withImmediate[index] = withImmediate;
		this.immediates[index] = immediate;
		this.tail.set(tail + 1);
	}

	boolean isEmpty() {
		return this.head.get() == this.tail.get();
	}

	// The first of those that are there, which stays until it is removed.
	int slot() {
		return this.slots[first()];
	}

	int length() {
		return this.lengths[first()];
	}

	boolean hasImmediate() {
		return this.withImmediate[first()];
	}

	int immediate() {
		return this.immediates[first()];
	}

	void remove() {
		this.head.set(this.head.getPlain() + 1);
	}

	private int first() {
		return this.head.getPlain() & this.mask;
	}

}
