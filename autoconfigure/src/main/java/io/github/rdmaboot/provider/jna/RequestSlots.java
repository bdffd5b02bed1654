package io.github.rdmaboot.provider.jna;

import java.nio.ByteBuffer;

/**
 * Native memory for a list of work requests that is used again: slots in a row, each with
 * a request and its {@code struct ibv_sge}s behind it. What is the same for every list,
 * the chain and where the buffers of a request are listed, is written once. Belongs to
 * one thread.
 */
final class RequestSlots {

	private static final int SLOTS = 32;

	private static final int BUFFERS = 4;

	// Requests of both kinds begin alike.
	private static final int NEXT = SendWorkRequestLayout.NEXT;

	private static final int SG_LIST = SendWorkRequestLayout.SG_LIST;

	private final int requestSize;

	private final int buffers;

	private final int slotSize;

	private final int size;

	private final ByteBuffer memory;

	private final long address;

	private int end;

	private RequestSlots(int requestSize, int slots, int buffers) {
		this.requestSize = requestSize;
		this.buffers = buffers;
		this.slotSize = Math.addExact(requestSize, Math.multiplyExact(buffers, ScatterGatherLayout.SIZE));
		this.size = Math.multiplyExact(slots, this.slotSize);
		this.memory = CallBlock.allocate(this.size);
		this.address = CallBlock.addressOf(this.memory);
		for (int offset = 0; offset < this.size; offset += this.slotSize) {
			this.memory.putLong(offset + SG_LIST, this.address + offset + requestSize);
			this.memory.putLong(offset + NEXT, this.address + offset + this.slotSize);
		}
		this.end = this.size;
		this.memory.putLong(this.end - this.slotSize + NEXT, 0);
	}

	static RequestSlots forSends() {
		return new RequestSlots(SendWorkRequestLayout.SIZE, SLOTS, BUFFERS);
	}

	static RequestSlots forReceives() {
		return new RequestSlots(ReceiveWorkRequestLayout.SIZE, SLOTS, BUFFERS);
	}

	/**
	 * Return slots with more room.
	 * @param requests how many requests they must hold
	 * @param buffers how many buffers of each
	 * @return the slots
	 */
	RequestSlots grow(int requests, int buffers) {
		return new RequestSlots(this.requestSize, Math.max(2 * requests, this.size / this.slotSize),
				Math.max(buffers, this.buffers));
	}

	/**
	 * Return whether there is no room for a request.
	 * @param offset the offset of its slot
	 * @param buffers how many buffers it has
	 * @return whether there is none
	 */
	boolean isFull(int offset, int buffers) {
		return offset == this.size || buffers > this.buffers;
	}

	ByteBuffer memory() {
		return this.memory;
	}

	long address() {
		return this.address;
	}

	int slotSize() {
		return this.slotSize;
	}

	/**
	 * Write the only buffer of a request.
	 * @param offset the offset of its slot
	 * @param address its address
	 * @param length its length
	 * @param lkey its key
	 */
	void putBuffer(int offset, long address, int length, int lkey) {
		putBufferAt(offset + this.requestSize, address, length, lkey);
	}

	private void putBufferAt(int at, long address, int length, int lkey) {
		this.memory.putLong(at + ScatterGatherLayout.ADDRESS, address);
		this.memory.putLong(at + ScatterGatherLayout.LENGTH, NativeOrder.pair(length, lkey));
	}

	/**
	 * Write the buffers of a request.
	 * @param offset the offset of its slot
	 * @param addresses their addresses
	 * @param lengths their lengths
	 * @param lkeys their keys
	 * @param count how many of them count
	 */
	void putBuffers(int offset, long[] addresses, int[] lengths, int[] lkeys, int count) {
		int at = offset + this.requestSize;
		for (int i = 0; i < count; i++) {
			putBufferAt(at, addresses[i], lengths[i], lkeys[i]);
			at += ScatterGatherLayout.SIZE;
		}
	}

	/**
	 * Let the chain end.
	 * @param offset the offset behind its last slot
	 */
	void endAt(int offset) {
		if (offset != this.end) {
			this.memory.putLong(this.end - this.slotSize + NEXT, this.address + this.end);
			this.memory.putLong(offset - this.slotSize + NEXT, 0);
			this.end = offset;
		}
	}

}
