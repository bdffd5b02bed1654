package io.github.rdmaboot.endpoint;

/**
 * Ranges of local memory that an operation gathers from or scatters to, in their order;
 * stands for an array of {@code struct ibv_sge}. May be cleared and filled again as soon
 * as the operation was posted. Not safe for several threads at once.
 */
public final class MemoryRanges {

	private final RdmaMemory[] memories;

	private final long[] offsets;

	private final int[] lengths;

	private int count;

	/**
	 * Create an empty list.
	 * @param capacity how many ranges it has room for, from 1
	 * @throws IllegalArgumentException if the capacity is less than 1
	 */
	public MemoryRanges(int capacity) {
		Settings.atLeast("capacity", capacity, 1);
		this.memories = new RdmaMemory[capacity];
		this.offsets = new long[capacity];
		this.lengths = new int[capacity];
	}

	/**
	 * Add a range.
	 * @param memory the memory
	 * @param offset where the range begins, from 0
	 * @param length the length of the range in bytes, from 0
	 * @return this list
	 * @throws IndexOutOfBoundsException if the range is not inside the memory
	 * @throws IllegalStateException if the list is full
	 */
	public MemoryRanges add(RdmaMemory memory, long offset, int length) {
		if (this.count == this.memories.length) {
			throw new IllegalStateException("There is no room for more than " + this.count + " ranges of memory");
		}
		memory.addressOf(offset, length);
		this.memories[this.count] = memory;
		this.offsets[this.count] = offset;
		this.lengths[this.count] = length;
		this.count++;
		return this;
	}

	/**
	 * Remove all ranges.
	 * @return this list
	 */
	public MemoryRanges clear() {
		this.count = 0;
		return this;
	}

	/**
	 * Return how many ranges there are.
	 * @return the number
	 */
	public int size() {
		return this.count;
	}

	RdmaMemory memory(int index) {
		return this.memories[index];
	}

	long offset(int index) {
		return this.offsets[index];
	}

	int length(int index) {
		return this.lengths[index];
	}

}
