package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;

/**
 * Header of the messages of connections that send messages in fragments or count credits.
 * It is 0 for a whole message without credits.
 * <p>
 * The lowest 16 bits say how many receives the sender has posted, and so grants to the
 * peer, since it said so last.
 * <p>
 * Where there is no immediate data it comes in front of the content, behind a mark by
 * which a message of a peer without headers is told from one that has it, both as numbers
 * in network order.
 */
final class MessageHeader {

	/** More fragments of the message follow. */
	static final int MORE = 1 << 31;

	/** The sender counts credits. */
	static final int CREDITS = 1 << 30;

	/** There is no message, but only the grant. */
	static final int GRANT_ONLY = 1 << 29;

	/** Length in front of the content, a multiple of what content may be aligned to. */
	static final int LENGTH = 8;

	/** Begins a header in front of the content: RDM1. */
	static final int MARK = 0x52444d31;

	/** The largest receive queue has 16384. */
	private static final int GRANTS = 0xFFFF;

	private MessageHeader() {
	}

	// Write a header in front of the content.
	static void write(ByteBuffer memory, int offset, int header) {
		memory.putInt(offset, MARK).putInt(offset + Integer.BYTES, header);
	}

	// Whether a message has a header in front of its content.
	static boolean isThere(ByteBuffer memory, int offset, int length) {
		return length >= LENGTH && memory.getInt(offset) == MARK;
	}

	// Read a header that is there.
	static int read(ByteBuffer memory, int offset) {
		return memory.getInt(offset + Integer.BYTES);
	}

	static int grants(int header) {
		return header & GRANTS;
	}

	static boolean isGrantOnly(int header) {
		return (header & GRANT_ONLY) != 0;
	}

}
