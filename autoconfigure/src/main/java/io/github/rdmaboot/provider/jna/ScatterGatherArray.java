package io.github.rdmaboot.provider.jna;

import java.nio.ByteBuffer;

/**
 * The {@code struct ibv_sge}s of a list of work requests. Belongs to one thread.
 */
final class ScatterGatherArray {

	private static final int INITIAL_CAPACITY = 64;

	private ByteBuffer memory = CallBlock.allocate(INITIAL_CAPACITY * ScatterGatherLayout.SIZE);

	private long address = CallBlock.addressOf(this.memory);

	private int used;

	/**
	 * Begin anew with room for a number of buffers.
	 * @param count the number of buffers
	 */
	void reset(int count) {
		this.used = 0;
		int size = Math.multiplyExact(count, ScatterGatherLayout.SIZE);
		if (size > this.memory.capacity()) {
			this.memory = CallBlock.allocate(Math.max(size, 2 * this.memory.capacity()));
			this.address = CallBlock.addressOf(this.memory);
		}
	}

	/**
	 * Add the buffers of a work request.
	 * @param addresses their addresses
	 * @param lengths their lengths
	 * @param lkeys their keys
	 * @param count how many of them count
	 * @return the address of the first one
	 */
	long add(long[] addresses, int[] lengths, int[] lkeys, int count) {
		int first = this.used;
		for (int i = 0; i < count; i++) {
			int offset = this.used;
			this.memory.putLong(offset + ScatterGatherLayout.ADDRESS, addresses[i]);
			this.memory.putInt(offset + ScatterGatherLayout.LENGTH, lengths[i]);
			this.memory.putInt(offset + ScatterGatherLayout.LKEY, lkeys[i]);
			this.used += ScatterGatherLayout.SIZE;
		}
		return this.address + first;
	}

}
