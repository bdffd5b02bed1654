package io.github.rdmaboot.provider.jna;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Zeroed native memory for the arguments and results of one call. Every access is checked
 * against its size. Belongs to one thread, which closes the block that it made last
 * first.
 */
final class NativeBlock implements AutoCloseable {

	private @Nullable ScratchMemory scratch;

	private final ByteBuffer memory;

	private final int base;

	private final long address;

	private final int size;

	private final boolean lent;

	NativeBlock(int size) {
		this(size, VirtualThreads.isVirtual(Thread.currentThread()));
	}

	// Memory of a thread of its own would outlive a virtual thread by far, so it is lent.
	NativeBlock(int size, boolean lent) {
		int room = Math.addExact(size, Long.BYTES - 1) & -Long.BYTES;
		ScratchMemory scratch = scratch(room, lent);
		this.size = size;
		this.scratch = scratch;
		this.lent = lent;
		if (scratch != null) {
			this.memory = scratch.memory();
			this.base = scratch.take(room);
			this.address = scratch.address() + this.base;
		}
		else {
			this.memory = CallBlock.allocate(room);
			this.base = 0;
			this.address = CallBlock.addressOf(this.memory);
		}
	}

	private static @Nullable ScratchMemory scratch(int room, boolean lent) {
		if (lent) {
			return ScratchMemory.canTake(room) ? ScratchMemory.lend() : null;
		}
		ScratchMemory own = ScratchMemory.current();
		return own.hasRoom(room) ? own : null;
	}

	/**
	 * Make a block and fill it. If that fails, the block is closed, for nobody else has
	 * it.
	 * @param size its size
	 * @param content fills it
	 * @return the block, to be closed
	 */
	static NativeBlock filled(int size, Consumer<NativeBlock> content) {
		NativeBlock block = new NativeBlock(size);
		boolean filled = false;
		try {
			content.accept(block);
			filled = true;
			return block;
		}
		finally {
			if (!filled) {
				block.close();
			}
		}
	}

	/**
	 * Return the address of the first byte.
	 * @return the address
	 */
	long address() {
		return this.address;
	}

	byte getByte(int offset) {
		return this.memory.get(at(offset, Byte.BYTES));
	}

	int getUnsignedByte(int offset) {
		return Byte.toUnsignedInt(getByte(offset));
	}

	int getUnsignedShort(int offset) {
		return Short.toUnsignedInt(this.memory.getShort(at(offset, Short.BYTES)));
	}

	int getInt(int offset) {
		return this.memory.getInt(at(offset, Integer.BYTES));
	}

	long getLong(int offset) {
		return this.memory.getLong(at(offset, Long.BYTES));
	}

	byte[] getBytes(int offset, int length) {
		byte[] bytes = new byte[length];
		this.memory.get(at(offset, length), bytes);
		return bytes;
	}

	NativeBlock putByte(int offset, int value) {
		this.memory.put(at(offset, Byte.BYTES), (byte) value);
		return this;
	}

	NativeBlock putShort(int offset, int value) {
		this.memory.putShort(at(offset, Short.BYTES), (short) value);
		return this;
	}

	NativeBlock putInt(int offset, int value) {
		this.memory.putInt(at(offset, Integer.BYTES), value);
		return this;
	}

	NativeBlock putLong(int offset, long value) {
		this.memory.putLong(at(offset, Long.BYTES), value);
		return this;
	}

	NativeBlock putBytes(int offset, byte[] value) {
		this.memory.put(at(offset, value.length), value);
		return this;
	}

	private int at(int offset, int length) {
		return this.base + Objects.checkFromIndexSize(offset, length, this.size);
	}

	@Override
	public void close() {
		ScratchMemory scratch = this.scratch;
		if (scratch != null && this.lent) {
			// Closed twice, it would be lent to two.
			this.scratch = null;
			ScratchMemory.takeBack(scratch);
		}
		else if (scratch != null) {
			scratch.giveBack(this.base);
		}
		// The collector must not free it while the call goes on.
		Reference.reachabilityFence(this.memory);
	}

}
