package io.github.rdmaboot.endpoint;

/**
 * Messages of a connection.
 *
 * @param oversized what becomes of messages that are larger than a buffer
 * @param maxSize the size of the largest message in bytes that is sent or put together in
 * fragments, from 1 to 1 GB
 */
public record MessageSettings(OversizedMessages oversized, int maxSize) {

	private static final int MAX_SIZE = 1 << 30;

	public MessageSettings {
		Settings.sizeBetween("max-size", maxSize, 1, MAX_SIZE);
	}

	/**
	 * Return the settings that hold unless configured otherwise.
	 * @return messages that are larger than a buffer are refused
	 */
	public static MessageSettings defaults() {
		return new MessageSettings(OversizedMessages.REJECT, 64 << 20);
	}

	/**
	 * Return the settings with a size that may be too large for an {@code int}.
	 * @param oversized what becomes of messages that are larger than a buffer
	 * @param maxSize the size of the largest message in bytes
	 * @return the settings
	 * @throws IllegalArgumentException if the size is out of range
	 */
	public static MessageSettings of(OversizedMessages oversized, long maxSize) {
		Settings.sizeBetween("max-size", maxSize, 1, MAX_SIZE);
		return new MessageSettings(oversized, (int) maxSize);
	}

	boolean isFragmenting() {
		return this.oversized == OversizedMessages.FRAGMENT;
	}

}
