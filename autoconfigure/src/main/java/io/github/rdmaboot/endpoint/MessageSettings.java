package io.github.rdmaboot.endpoint;

/**
 * Messages of a connection.
 *
 * @param oversized what becomes of messages that are larger than a buffer
 * @param maxSize the size of the largest message in bytes that is sent or put together in
 * fragments, from 1 to 1 GB
 * @param flowControl how messages are kept from overrunning the buffers of the peer
 */
public record MessageSettings(OversizedMessages oversized, int maxSize, FlowControl flowControl) {

	private static final int MAX_SIZE = 1 << 30;

	public MessageSettings {
		Settings.sizeBetween("max-size", maxSize, 1, MAX_SIZE);
	}

	/**
	 * Create settings without flow control.
	 * @param oversized what becomes of messages that are larger than a buffer
	 * @param maxSize the size of the largest message in bytes
	 */
	public MessageSettings(OversizedMessages oversized, int maxSize) {
		this(oversized, maxSize, FlowControl.NONE);
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
	 * @param flowControl how messages are kept from overrunning the buffers of the peer
	 * @return the settings
	 * @throws IllegalArgumentException if the size is out of range
	 */
	public static MessageSettings of(OversizedMessages oversized, long maxSize, FlowControl flowControl) {
		Settings.sizeBetween("max-size", maxSize, 1, MAX_SIZE);
		return new MessageSettings(oversized, (int) maxSize, flowControl);
	}

	boolean isFragmenting() {
		return this.oversized == OversizedMessages.FRAGMENT;
	}

	boolean isCounting() {
		return this.flowControl == FlowControl.CREDITS;
	}

	// Whether messages have a header: in their immediate data, which is not the
	// application's then, or in front of their content.
	boolean isUsingHeaders() {
		return isFragmenting() || isCounting();
	}

	// How long a header is at most that a buffer has to have room for.
	int maxHeaderLength() {
		return isUsingHeaders() ? MessageHeader.LENGTH : 0;
	}

	// Refuse a receive queue that is too small for the credits with which peers begin.
	void requireReceives(MemorySettings memory, QueuePairSettings queuePair) {
		if (isCounting()) {
			String needed = " with messages.flow-control=credits";
			Settings.atLeast("memory.buffer-count", memory.bufferCount(), Credits.INITIAL, needed);
			Settings.atLeast("queue-pair.max-recv-wr", queuePair.maxRecvWr(), Credits.INITIAL, needed);
		}
	}

}
