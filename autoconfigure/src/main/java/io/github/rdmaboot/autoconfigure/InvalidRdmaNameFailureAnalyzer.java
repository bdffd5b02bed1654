package io.github.rdmaboot.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Analyzes that the configured name of an endpoint cannot be used.
 */
class InvalidRdmaNameFailureAnalyzer extends AbstractFailureAnalyzer<InvalidRdmaNameException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidRdmaNameException cause) {
		return new FailureAnalysis(cause.getMessage() + ".",
				"Give the endpoint '" + cause.name() + "' another name: the name is that of its bean.", cause);
	}

}
