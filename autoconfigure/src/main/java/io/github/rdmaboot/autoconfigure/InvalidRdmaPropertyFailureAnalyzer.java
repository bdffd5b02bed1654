package io.github.rdmaboot.autoconfigure;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;

/**
 * Analyzes that a property has a value that its endpoint cannot have: names property,
 * value, where it was set and what is allowed.
 */
class InvalidRdmaPropertyFailureAnalyzer extends AbstractFailureAnalyzer<InvalidRdmaPropertyException> {

	private final Environment environment;

	InvalidRdmaPropertyFailureAnalyzer(Environment environment) {
		this.environment = environment;
	}

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidRdmaPropertyException cause) {
		StringBuilder description = new StringBuilder("Invalid configuration of RDMA endpoints: ")
			.append(cause.getMessage())
			.append('.')
			.append(String.format("%n%n    Property: %s", cause.property()));
		boolean set = false;
		ConfigurationPropertyName name = ConfigurationPropertyName.adapt(cause.property(), '.');
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
			ConfigurationProperty found = source.getConfigurationProperty(name);
			if (found != null) {
				set = true;
				description.append(String.format("%n    Value: \"%s\"", found.getValue()));
				if (found.getOrigin() != null) {
					description.append(String.format("%n    Origin: %s", found.getOrigin()));
				}
				break;
			}
		}
		return new FailureAnalysis(description.toString(),
				(set ? "Change '" : "Set '") + cause.property() + "' as said above.", cause);
	}

}
