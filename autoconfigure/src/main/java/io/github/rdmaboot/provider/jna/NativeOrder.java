package io.github.rdmaboot.provider.jna;

import java.nio.ByteOrder;

/**
 * Pairs of neighbouring 32-bit fields in the byte order of this machine, so that one
 * access serves two of them.
 */
final class NativeOrder {

	private static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

	private NativeOrder() {
	}

	/**
	 * Join two fields.
	 * @param first the field at the lower address
	 * @param second the field behind it
	 * @return both
	 */
	static long pair(int first, int second) {
		return LITTLE ? Integer.toUnsignedLong(first) | (long) second << Integer.SIZE
				: (long) first << Integer.SIZE | Integer.toUnsignedLong(second);
	}

	/**
	 * Return the field at the lower address.
	 * @param pair two fields
	 * @return the first one
	 */
	static int first(long pair) {
		return (int) (LITTLE ? pair : pair >>> Integer.SIZE);
	}

	/**
	 * Return the field at the higher address.
	 * @param pair two fields
	 * @return the second one
	 */
	static int second(long pair) {
		return (int) (LITTLE ? pair >>> Integer.SIZE : pair);
	}

}
