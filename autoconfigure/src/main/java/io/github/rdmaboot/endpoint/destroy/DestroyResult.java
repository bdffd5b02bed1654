package io.github.rdmaboot.endpoint.destroy;

/**
 * How a destroy ended.
 */
public enum DestroyResult {

	/** Every step succeeded. */
	SUCCESS("success"),

	/** A step failed; the others were carried out all the same. */
	FAILURE("failure"),

	/** A call passed its deadline and was left behind with its thread. */
	TIMEOUT("timeout");

	private final String tag;

	DestroyResult(String tag) {
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
