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
	 * @param message the message from position to limit; the memory is the device's again
	 * when this method returns
	 * @throws Exception to end the connection
	 */
	void onMessage(RdmaConnection connection, ByteBuffer message) throws Exception;

}
