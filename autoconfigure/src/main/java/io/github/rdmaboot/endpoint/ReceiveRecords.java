package io.github.rdmaboot.endpoint;

/**
 * What is kept of each buffer for receiving from the completion of its post until its
 * message is taken, by number. It belongs to the connection whose message it holds.
 */
final class ReceiveRecords {

	final int[] lengths;

	final int[] immediates;

	final boolean[] withImmediate;

	/** The number of another buffer of the same connection. */
	final int[] links;

	ReceiveRecords(int count) {
		this.lengths = new int[count];
		this.immediates = new int[count];
		this.withImmediate = new boolean[count];
		this.links = new int[count];
	}

}
