package io.github.rdmaboot.endpoint;

/**
 * How the two sides of a connection keep messages from overrunning the buffers of their
 * receiver.
 */
public enum FlowControl {

	/**
	 * They do not. A message that finds no buffer is repeated by the sender's device, as
	 * often as the connection is configured for; iWARP has no such repetition, and ends
	 * the connection.
	 */
	NONE,

	/**
	 * The receiver grants credits, one for each buffer, and a sender without credits
	 * sends nothing. The peer must be configured alike, for every message has a header:
	 * in its immediate data or, on iWARP, in front of its content.
	 */
	CREDITS

}
