package io.github.rdmaboot.provider.jna;

import java.nio.ByteOrder;

/**
 * Converts numbers that C holds in network order, in either direction.
 */
final class NetworkOrder {

	private static final boolean SWAP = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

	private NetworkOrder() {
	}

	static short convert(short value) {
		return SWAP ? Short.reverseBytes(value) : value;
	}

	static int convert(int value) {
		return SWAP ? Integer.reverseBytes(value) : value;
	}

	static long convert(long value) {
		return SWAP ? Long.reverseBytes(value) : value;
	}

}
