package io.github.rdmaboot.autoconfigure;

/**
 * The configured name of an endpoint cannot be used.
 */
class InvalidRdmaNameException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private final String name;

	/**
	 * Create the exception.
	 * @param name the name
	 * @param message why it cannot be used
	 */
	InvalidRdmaNameException(String name, String message) {
		super(message);
		this.name = name;
	}

	/**
	 * Return the name.
	 * @return the name as configured
	 */
	String name() {
		return this.name;
	}

}
