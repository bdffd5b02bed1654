package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;

/**
 * Receives the messages of a connection, one at a time and in order, on the endpoint's
 * handler executor.
 */
@FunctionalInterface
public interface RdmaMessageHandler {

	/**
	 * A message arrived.
	 * @param connection the connection, to answer on
	 * @param message the message from position to limit, read-only; buffer and memory are
	 * used again when this method returns
	 * @throws Exception to end the connection
	 */
	void onMessage(RdmaConnection connection, ByteBuffer message) throws Exception;

	/**
	 * A message with immediate data arrived. Unless implemented, it is like one without.
	 * @param connection the connection, to answer on
	 * @param message the message as above, without bytes if a peer's write with immediate
	 * data brought it
	 * @param immediateData the immediate data
	 * @throws Exception to end the connection
	 */
	default void onMessage(RdmaConnection connection, ByteBuffer message, int immediateData) throws Exception {
		onMessage(connection, message);
	}

}
