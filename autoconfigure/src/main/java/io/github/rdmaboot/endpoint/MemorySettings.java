package io.github.rdmaboot.endpoint;

/**
 * Registered memory of a connection, and the messages in it.
 *
 * @param bufferSize the size of a buffer in bytes, from 1 to 1 GB, which is the size of
 * the largest message unless messages are sent in fragments; all buffers together must
 * fit in 2 GB less two pages
 * @param bufferCount how many buffers there are for sending, and as many for receiving,
 * from 1 to 16384
 * @param messages what becomes of messages that are larger than a buffer
 */
public record MemorySettings(int bufferSize, int bufferCount, MessageSettings messages) {

	private static final int MAX_BUFFER_SIZE = 1 << 30;

	/** A direct buffer, less what aligning it to pages takes. */
	private static final int MAX_TOTAL = Integer.MAX_VALUE - 8192;

	public MemorySettings {
		Settings.sizeBetween("buffer-size", bufferSize, 1, MAX_BUFFER_SIZE);
		Settings.between("buffer-count", bufferCount, 1, 16384);
		int most = MAX_TOTAL / 2 / bufferCount;
		if (bufferSize > most) {
			throw new IllegalArgumentException("buffer-size is " + Settings.text(bufferSize)
					+ " but must be from 1B to " + Settings.text(most) + " with a buffer-count of " + bufferCount
					+ ": there are as many buffers for sending and for receiving, which must take less than 2GB");
		}
	}

	/**
	 * Create settings that refuse messages which are larger than a buffer.
	 * @param bufferSize the size of a buffer in bytes
	 * @param bufferCount how many buffers there are for each direction
	 */
	public MemorySettings(int bufferSize, int bufferCount) {
		this(bufferSize, bufferCount, MessageSettings.defaults());
	}

	/**
	 * Return the settings with a size that may be too large for an {@code int}.
	 * @param bufferSize the size of a buffer in bytes
	 * @param bufferCount how many buffers there are for each direction
	 * @param messages what becomes of messages that are larger than a buffer
	 * @return the settings
	 * @throws IllegalArgumentException if either is out of range
	 */
	public static MemorySettings of(long bufferSize, int bufferCount, MessageSettings messages) {
		Settings.sizeBetween("buffer-size", bufferSize, 1, MAX_BUFFER_SIZE);
		return new MemorySettings((int) bufferSize, bufferCount, messages);
	}

}
