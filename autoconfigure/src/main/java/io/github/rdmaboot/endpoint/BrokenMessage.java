package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.RdmaException;

/**
 * A message in fragments of which the peer has some and will not get the rest. It would
 * take the next message for that, so the connection ends.
 */
final class BrokenMessage {

	private BrokenMessage() {
	}

	/**
	 * End a connection because of a fragment that was not sent.
	 * @param connection the connection
	 * @param error why it was not sent
	 */
	static void end(RdmaConnection connection, Throwable error) {
		String message = "A message in fragments was broken off, for one could not be sent: " + error.getMessage();
		RuntimeException cause = (error instanceof RdmaException refusal)
				? new RdmaException(refusal.call(), refusal.errno(), message) : new IllegalStateException(message);
		cause.initCause(error);
		connection.end(DestroyTrigger.DISCONNECT, cause);
	}

}
