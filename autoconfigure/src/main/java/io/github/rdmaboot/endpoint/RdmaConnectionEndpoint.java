package io.github.rdmaboot.endpoint;

/**
 * Server or client: an endpoint with connections. All methods may be called from any
 * thread.
 */
public interface RdmaConnectionEndpoint extends RdmaEndpoint {

	/**
	 * Set what takes the messages of all connections, instead of
	 * {@link RdmaConnection#receive()}.
	 * @param handler the handler
	 */
	void onMessage(RdmaMessageHandler handler);

}
