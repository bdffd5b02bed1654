package io.github.rdmaboot.provider.jna;

/**
 * A GID in memory, {@code union ibv_gid}.
 */
final class Gid {

	static final int LENGTH = 16;

	private Gid() {
	}

	/**
	 * Encode a GID.
	 * @param gid its 16 bytes
	 * @return the memory, to be closed
	 */
	static NativeBlock encode(byte[] gid) {
		requireLength(gid);
		return NativeBlock.filled(LENGTH, (block) -> block.putBytes(0, gid));
	}

	static void requireLength(byte[] gid) {
		if (gid.length != LENGTH) {
			throw new IllegalArgumentException("A GID has " + LENGTH + " bytes, not " + gid.length);
		}
	}

}
