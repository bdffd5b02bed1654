package io.github.rdmaboot.verbs;

/**
 * How a thread learns of completions.
 */
public enum CompletionMode {

	/** Sleep until the device raises an event. */
	EVENT,

	/**
	 * Ask the queues again and again, which keeps a processor busy as long as there are
	 * queues. The shortest latency.
	 */
	POLL,

	/**
	 * Sleep until an event, then ask the queue again and again until it has been silent
	 * for a while.
	 */
	ADAPTIVE

}
