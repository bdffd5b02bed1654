package io.github.rdmaboot.endpoint;

/**
 * State of an endpoint.
 */
public enum EndpointState {

	/** Nothing native exists. */
	IDLE,

	/** A client is resolving or connecting, another endpoint is about to listen. */
	STARTING,

	/** A server listens, a client is connected, a datagram endpoint can send. */
	UP,

	/**
	 * A server rejects connection requests, for the application is about to stop; the
	 * connections that are there go on working until the server is destroyed.
	 */
	QUIESCED,

	/**
	 * The connection was lost or could not be made, and a reconnect may be under way; or
	 * the device of a server was removed, and it tries to listen again.
	 */
	DOWN,

	/** An orderly destroy is under way. */
	DESTROYING,

	/** A native call of the last destroy is stuck. */
	QUARANTINED

}
