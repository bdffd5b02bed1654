package io.github.rdmaboot.autoconfigure;

import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * Properties are set under {@code rdma} that do not exist.
 */
class UnknownRdmaPropertyException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	private final transient List<UnknownProperty> properties;

	/**
	 * Create the exception.
	 * @param properties the properties that do not exist
	 */
	UnknownRdmaPropertyException(List<UnknownProperty> properties) {
		super("There are no such properties: "
				+ properties.stream().map(UnknownProperty::name).collect(Collectors.joining(", ")));
		this.properties = List.copyOf(properties);
	}

	/**
	 * Return the properties.
	 * @return those that do not exist
	 */
	List<UnknownProperty> properties() {
		return this.properties;
	}

	/**
	 * Property that does not exist.
	 *
	 * @param name its full name
	 * @param origin where it was set, or {@code null} if that is not known
	 * @param candidates those that were perhaps meant
	 * @param dotted whether it looks like one of an endpoint with a dot in its name
	 */
	record UnknownProperty(String name, @Nullable String origin, List<String> candidates, boolean dotted) {

	}

}
