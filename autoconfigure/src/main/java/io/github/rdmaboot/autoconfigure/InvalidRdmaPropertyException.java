package io.github.rdmaboot.autoconfigure;

/**
 * A property has a value that its endpoint cannot have.
 */
class InvalidRdmaPropertyException extends IllegalArgumentException {

	private static final long serialVersionUID = 1L;

	private final String property;

	/**
	 * Create the exception.
	 * @param property the full name of the property
	 * @param message what is wrong with it, with its full name and its value
	 */
	InvalidRdmaPropertyException(String property, String message) {
		super(message);
		this.property = property;
	}

	/**
	 * Return the property.
	 * @return its full name
	 */
	String property() {
		return this.property;
	}

}
