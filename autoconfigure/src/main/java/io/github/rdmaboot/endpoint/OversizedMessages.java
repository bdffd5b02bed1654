package io.github.rdmaboot.endpoint;

/**
 * What becomes of messages that are larger than a buffer.
 */
public enum OversizedMessages {

	/**
	 * They are refused before anything is sent.
	 */
	REJECT,

	/**
	 * They are sent in fragments, which the peer puts together. The peer must be
	 * configured alike, for every message has a header that says whether more of it
	 * follows: in its immediate data or, on iWARP, in front of its content. Each message,
	 * whether it fits into a buffer or not, takes a lock of its connection, since none
	 * may come between the fragments of another: threads that share a connection wait for
	 * each other, and for one of them that waits for room.
	 */
	FRAGMENT

}
