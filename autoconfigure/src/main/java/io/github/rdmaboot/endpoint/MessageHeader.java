package io.github.rdmaboot.endpoint;

/**
 * Immediate data of the messages of connections that send messages in fragments or count
 * credits. It is 0 for a whole message without credits.
 * <p>
 * The lowest 16 bits say how many receives the sender has posted, and so grants to the
 * peer, since it said so last.
 */
final class MessageHeader {

	/** More fragments of the message follow. */
	static final int MORE = 1 << 31;

	/** The sender counts credits. */
	static final int CREDITS = 1 << 30;

	/** There is no message, but only the grant. */
	static final int GRANT_ONLY = 1 << 29;

	/** The largest receive queue has 16384. */
	private static final int GRANTS = 0xFFFF;

	private MessageHeader() {
	}

	static int grants(int header) {
		return header & GRANTS;
	}

	static boolean isGrantOnly(int header) {
		return (header & GRANT_ONLY) != 0;
	}

}
