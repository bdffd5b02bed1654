package io.github.rdmaboot.provider.jna;

import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;

import org.jspecify.annotations.Nullable;

/**
 * Native memory for the arguments and results of calls, taken and given back like a
 * stack: cheaper than {@code malloc} and {@code free}, each of which is a call through
 * JNI. A platform thread has one of its own; a virtual thread, of which there may be very
 * many, is lent one for each block.
 * <p>
 * The memory of a thread that was used lately is found without its thread local, whose
 * look-up is a call through JNI too where C1 compiles it. Threads race for these entries,
 * which does no harm: a thread uses an entry only if it is its own, and others look at
 * nothing but the owner, which is final.
 */
final class ScratchMemory {

	private static final int SIZE = 4096;

	private static final int RECENT = 64;

	private static final ThreadLocal<ScratchMemory> ofThread = ThreadLocal
		.withInitial(() -> new ScratchMemory(Thread.currentThread()));

	private static final IdleObjects<ScratchMemory> idle = new IdleObjects<>();

	private static final @Nullable ScratchMemory[] recent = new ScratchMemory[RECENT];

	// Weak, so that an entry keeps no thread that has ended.
	private final WeakReference<@Nullable Thread> owner;

	private final ByteBuffer memory = CallBlock.allocate(SIZE);

	private final long address = CallBlock.addressOf(this.memory);

	private int used;

	private ScratchMemory(@Nullable Thread owner) {
		this.owner = new WeakReference<>(owner);
	}

	// Return the memory of the current thread, which is a platform thread.
	static ScratchMemory current() {
		Thread thread = Thread.currentThread();
		int index = (int) thread.getId() & RECENT - 1;
		ScratchMemory scratch = recent[index];
		if (scratch == null || scratch.owner.get() != thread) {
			scratch = ofThread.get();
			recent[index] = scratch;
		}
		return scratch;
	}

	// Lend memory that nobody else has then; to be returned once.
	static ScratchMemory lend() {
		ScratchMemory scratch = idle.take();
		return (scratch != null) ? scratch : new ScratchMemory(null);
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
