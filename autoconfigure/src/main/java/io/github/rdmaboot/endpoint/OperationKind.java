package io.github.rdmaboot.endpoint;

/**
 * Kind of operation on memory of a peer.
 */
public enum OperationKind {

	/** Read of the peer's memory. */
	READ,

	/** Write to the peer's memory, with immediate data or without. */
	WRITE,

	/** Compare-and-swap or fetch-and-add. */
	ATOMIC

}
