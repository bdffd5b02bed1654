package io.github.rdmaboot.autoconfigure;

import io.github.rdmaboot.provider.RdmaUnavailableException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Analyzes that RDMA cannot be used on this machine or by this process.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class RdmaUnavailableFailureAnalyzer extends AbstractFailureAnalyzer<RdmaUnavailableException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, RdmaUnavailableException cause) {
		String description = String.format("RDMA cannot be used: %s.%n%n    Reason: %s%s", cause.getMessage(),
				cause.reason(), describeCall(cause));
		String action = String.format("%s%n%nTo run without RDMA hardware, set 'rdma.provider=auto', which falls back "
				+ "with a warning, or 'rdma.provider=loopback'. With either, endpoints then connect inside this "
				+ "process only.", cause.action());
		return new FailureAnalysis(description, action, cause);
	}

	// For some reasons there was no native call that failed, and so no true errno.
	private static String describeCall(RdmaUnavailableException cause) {
		return switch (cause.reason()) {
			case UNSUPPORTED_PLATFORM, NATIVE_ACCESS_MISSING, LIBRARY_UNKNOWN -> "";
			default -> String.format("%n    Call: %s", RdmaEndpointFailureAnalyzer.describeCall(cause));
		};
	}

}
