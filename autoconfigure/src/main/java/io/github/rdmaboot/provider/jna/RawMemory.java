package io.github.rdmaboot.provider.jna;

import com.sun.jna.Pointer;

/**
 * Reads and writes memory of the libraries by absolute address, in native byte order and
 * without allocating. A wrong address ends the process.
 */
final class RawMemory {

	// A base of zero makes the offset the address, so no Pointer is created per access.
	private static final Pointer ORIGIN = new Pointer(0);

	private RawMemory() {
	}

	static byte getByte(long address) {
		return ORIGIN.getByte(address);
	}

	static int getUnsignedByte(long address) {
		return Byte.toUnsignedInt(ORIGIN.getByte(address));
	}

	static short getShort(long address) {
		return ORIGIN.getShort(address);
	}

	static int getUnsignedShort(long address) {
		return Short.toUnsignedInt(ORIGIN.getShort(address));
	}

	static int getInt(long address) {
		return ORIGIN.getInt(address);
	}

	static long getLong(long address) {
		return ORIGIN.getLong(address);
	}

	static byte[] getBytes(long address, int length) {
		return ORIGIN.getByteArray(address, length);
	}

	/**
	 * Read a text that ends with a zero byte.
	 * @param address the address of its first byte
	 * @return the text
	 */
	static String getString(long address) {
		return ORIGIN.getString(address, "UTF-8");
	}

	static void putByte(long address, byte value) {
		ORIGIN.setByte(address, value);
	}

	static void putShort(long address, short value) {
		ORIGIN.setShort(address, value);
	}

	static void putInt(long address, int value) {
		ORIGIN.setInt(address, value);
	}

	static void putLong(long address, long value) {
		ORIGIN.setLong(address, value);
	}

	static void putBytes(long address, byte[] value) {
		ORIGIN.write(address, value, 0, value.length);
	}

	static void clear(long address, long length) {
		ORIGIN.setMemory(address, length, (byte) 0);
	}

}
