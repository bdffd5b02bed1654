package io.github.rdmaboot.provider.jna;

import java.util.Objects;

import com.sun.jna.Native;

/**
 * Zeroed native memory for the arguments and results of one call, freed when it is
 * closed. Every access is checked against its size. Belongs to one thread.
 */
final class NativeBlock implements AutoCloseable {

	private final long address;

	private final int size;

	NativeBlock(int size) {
		this.address = Native.malloc(size);
		if (this.address == 0) {
			throw new OutOfMemoryError("Cannot allocate " + size + " bytes of native memory");
		}
		this.size = size;
		RawMemory.clear(this.address, size);
	}

	/**
	 * Return the address of the first byte.
	 * @return the address
	 */
	long address() {
		return this.address;
	}

	byte getByte(int offset) {
		return RawMemory.getByte(at(offset, Byte.BYTES));
	}

	int getUnsignedByte(int offset) {
		return RawMemory.getUnsignedByte(at(offset, Byte.BYTES));
	}

	int getUnsignedShort(int offset) {
		return RawMemory.getUnsignedShort(at(offset, Short.BYTES));
	}

	int getInt(int offset) {
		return RawMemory.getInt(at(offset, Integer.BYTES));
	}

	long getLong(int offset) {
		return RawMemory.getLong(at(offset, Long.BYTES));
	}

	byte[] getBytes(int offset, int length) {
		return RawMemory.getBytes(at(offset, length), length);
	}

	NativeBlock putByte(int offset, int value) {
		RawMemory.putByte(at(offset, Byte.BYTES), (byte) value);
		return this;
	}

	NativeBlock putShort(int offset, int value) {
		RawMemory.putShort(at(offset, Short.BYTES), (short) value);
		return this;
	}

	NativeBlock putInt(int offset, int value) {
		RawMemory.putInt(at(offset, Integer.BYTES), value);
		return this;
	}

	NativeBlock putLong(int offset, long value) {
		RawMemory.putLong(at(offset, Long.BYTES), value);
		return this;
	}

	NativeBlock putBytes(int offset, byte[] value) {
		RawMemory.putBytes(at(offset, value.length), value);
		return this;
	}

	private long at(int offset, int length) {
		return this.address + Objects.checkFromIndexSize(offset, length, this.size);
	}

	@Override
	public void close() {
		Native.free(this.address);
	}

}
