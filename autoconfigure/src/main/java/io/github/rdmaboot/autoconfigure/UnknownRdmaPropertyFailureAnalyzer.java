package io.github.rdmaboot.autoconfigure;

import io.github.rdmaboot.autoconfigure.UnknownRdmaPropertyException.UnknownProperty;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Analyzes that properties are set under {@code rdma} that do not exist: names each,
 * where it was set and what was perhaps meant.
 */
class UnknownRdmaPropertyFailureAnalyzer extends AbstractFailureAnalyzer<UnknownRdmaPropertyException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, UnknownRdmaPropertyException cause) {
		StringBuilder description = new StringBuilder(
				"Properties are set under 'rdma' that do not exist, and would have no effect:");
		boolean dotted = false;
		for (UnknownProperty property : cause.properties()) {
			description.append(String.format("%n%n    Property: %s", property.name()));
			if (property.origin() != null) {
				description.append(String.format("%n    Origin: %s", property.origin()));
			}
			if (!property.candidates().isEmpty()) {
				description.append(String.format("%n    Did you mean: %s?", String.join(", ", property.candidates())));
			}
			dotted |= property.dotted();
		}
		return new FailureAnalysis(description.toString(), "Correct the names of these properties, or remove them."
				+ (dotted ? " The name of an endpoint that has a dot needs brackets: rdma.servers[a.b].port." : ""),
				cause);
	}

}
