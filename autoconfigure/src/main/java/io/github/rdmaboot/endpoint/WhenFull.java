package io.github.rdmaboot.endpoint;

/**
 * What becomes of an operation that finds its send queue full.
 */
public enum WhenFull {

	/** It waits for room, for a limited time. */
	WAIT,

	/** It fails at once. */
	FAIL,

	/** It is kept, up to a limited number of them, and posted when there is room. */
	PARK

}
