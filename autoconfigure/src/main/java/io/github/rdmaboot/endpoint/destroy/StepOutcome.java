package io.github.rdmaboot.endpoint.destroy;

/**
 * How a step of a destroy ended.
 */
public enum StepOutcome {

	/** The step did what it had to. */
	SUCCESS("success"),

	/** A wait reached its limit, which the orderly destroy tolerates. */
	EXPIRED("expired"),

	/** The call failed. */
	FAILURE("failure"),

	/** The call passed its deadline and was left behind with its thread. */
	TIMEOUT("timeout"),

	/** Not attempted because an earlier call on the same object is still stuck. */
	ABANDONED("abandoned");

	private final String tag;

	StepOutcome(String tag) {
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
