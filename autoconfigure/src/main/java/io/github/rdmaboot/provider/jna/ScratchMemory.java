package io.github.rdmaboot.provider.jna;

import java.nio.ByteBuffer;

/**
 * Native memory for the arguments and results of calls, taken and given back like a
 * stack: cheaper than {@code malloc} and {@code free}, each of which is a call through
 * JNI. A platform thread has one of its own; a virtual thread, of which there may be very
 * many, is lent one for each block.
 */
final class ScratchMemory {

	private static final int SIZE = 4096;

	private static final ThreadLocal<ScratchMemory> ofThread = ThreadLocal.withInitial(ScratchMemory::new);

	private static final IdleObjects<ScratchMemory> idle = new IdleObjects<>();

	private final ByteBuffer memory = CallBlock.allocate(SIZE);

	private final long address = CallBlock.addressOf(this.memory);

	private int used;

	private ScratchMemory() {
	}

	// Return the memory of the current thread, which is a platform thread.
	static ScratchMemory current() {
		return ofThread.get();
	}

	// Lend memory that nobody else has then; to be returned once.
	static ScratchMemory lend() {
		ScratchMemory scratch = idle.take();
		return (scratch != null) ? scratch : new ScratchMemory();
	}

	static void takeBack(ScratchMemory scratch) {
		scratch.used = 0;
		idle.keep(scratch);
	}

	// Whether memory that nobody uses can take a block.
	static boolean canTake(int size) {
		return size <= SIZE;
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
