package io.github.rdmaboot.endpoint;

import java.nio.charset.StandardCharsets;

/**
 * Why this side rejects a connection request: a line of ASCII that goes to the peer as
 * the private data of {@code rdma_reject}, short enough for every transport.
 */
enum RejectReason {

	/** The server stops; connecting again later is worthwhile. */
	GOING_AWAY("going away: the server stops and takes no new connections"),

	/** The native objects of the connection could not be made. */
	NOT_ACCEPTED("not accepted: the server could not set the connection up");

	private final String text;

	RejectReason(String text) {
		this.text = text;
	}

	byte[] bytes() {
		return this.text.getBytes(StandardCharsets.US_ASCII);
	}

	// Whether what a peer said is this reason. Only the words before the colon count, so
	// that the explanation may change.
	boolean isMeantBy(String peerText) {
		return peerText.startsWith(this.text.substring(0, this.text.indexOf(':') + 1));
	}

}
