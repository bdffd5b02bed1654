package io.github.rdmaboot.cm;

/**
 * State of a CM id, kept by the starter because librdmacm keeps none.
 */
public enum CmIdState {

	/** Nothing native exists; the id may be created. */
	NONE,

	/** Created. */
	IDLE,

	/** Bound to a local address. */
	BOUND,

	/** Listening for connection requests. */
	LISTENING,

	/** The destination address is being resolved. */
	RESOLVING_ADDRESS,

	/** The destination address is resolved and the id is bound to a device. */
	ADDRESS_RESOLVED,

	/** The route is being resolved. */
	RESOLVING_ROUTE,

	/** The route is resolved. */
	ROUTE_RESOLVED,

	/** A connection was asked for. */
	CONNECTING,

	/** The id came with a connection request that has not been answered. */
	REQUESTED,

	/** The connection request was accepted. */
	ACCEPTING,

	/** The connection is established. */
	ESTABLISHED,

	/** This side asked to disconnect. */
	DISCONNECTING,

	/** The connection has ended. */
	DISCONNECTED,

	/** Connecting failed; the id cannot be used again before it is destroyed. */
	FAILED,

	/** The device is going away; the id can only be destroyed. */
	DEVICE_REMOVED,

	/** The native destroy is under way. */
	DESTROYING,

	/** The native destroy failed; the object is left to the end of the process. */
	LEAKED;

	boolean isLive() {
		return this != NONE && this != DESTROYING && this != LEAKED;
	}

}
