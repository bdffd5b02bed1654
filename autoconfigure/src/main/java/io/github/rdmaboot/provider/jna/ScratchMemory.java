package io.github.rdmaboot.provider.jna;

import java.nio.ByteBuffer;

/**
 * Native memory of one platform thread for the arguments and results of its calls, taken
 * and given back like a stack: cheaper than {@code malloc} and {@code free}, each of
 * which is a call through JNI.
 */
final class ScratchMemory {

	private static final int SIZE = 4096;

	private static final ThreadLocal<ScratchMemory> ofThread = ThreadLocal.withInitial(ScratchMemory::new);

	private final ByteBuffer memory = CallBlock.allocate(SIZE);

	private final long address = CallBlock.addressOf(this.memory);

	private int used;

	private ScratchMemory() {
	}

	// Return the memory of the current thread. Not for virtual threads, of which there
	// may be very many.
	static ScratchMemory current() {
		return ofThread.get();
	}

	boolean hasRoom(int size) {
		return size <= SIZE - this.used;
	}

	/**
	 * Take zeroed memory.
	 * @param size a multiple of 8, for which there is room
	 * @return its offset
	 */
	int take(int size) {
		int offset = this.used;
		this.used += size;
		for (int i = offset; i < this.used; i += Long.BYTES) {
			this.memory.putLong(i, 0);
		}
		return offset;
	}

	// Give back what was taken at an offset, and whatever was taken after it.
	void giveBack(int offset) {
		this.used = Math.min(this.used, offset);
	}

	ByteBuffer memory() {
		return this.memory;
	}

	long address() {
		return this.address;
	}

}
