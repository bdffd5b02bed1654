package io.github.rdmaboot.endpoint.destroy;

/**
 * Why something was destroyed.
 */
public enum DestroyTrigger {

	/** The application context was closed. */
	SHUTDOWN("shutdown"),

	/** The lifecycle was stopped to be started again: pause or restart. */
	RESTART("restart"),

	/** Starting failed, and what existed by then was destroyed. */
	FAILED_START("failed-start"),

	/** The application asked for it. */
	MANUAL("manual"),

	/** The connection ended or failed. */
	DISCONNECT("disconnect"),

	/** The device went away. */
	DEVICE_REMOVAL("device-removal"),

	/** An attempt to come up again after the device went away failed. */
	RELISTEN("relisten");

	private final String tag;

	DestroyTrigger(String tag) {
		this.tag = tag;
	}

	/**
	 * Return the name for logs and metrics.
	 * @return the name in lower case
	 */
	public String tag() {
		return this.tag;
	}

}
