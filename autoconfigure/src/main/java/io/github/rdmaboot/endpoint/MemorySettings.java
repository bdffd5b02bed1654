package io.github.rdmaboot.endpoint;

/**
 * Registered memory of a connection.
 *
 * @param bufferSize the size of a buffer in bytes, from 1, which is the size of the
 * largest message
 * @param bufferCount how many buffers there are for sending, and as many for receiving,
 * from 1
 */
public record MemorySettings(int bufferSize, int bufferCount) {

	public MemorySettings {
		Settings.between("buffer-size", bufferSize, 1, 1 << 30);
		Settings.between("buffer-count", bufferCount, 1, 16384);
		Settings.between("buffer-size times buffer-count", 2L * bufferSize * bufferCount, 1, Integer.MAX_VALUE);
	}

}
