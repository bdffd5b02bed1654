package io.github.rdmaboot.autoconfigure;

import io.github.rdmaboot.endpoint.RdmaEndpointException;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaUnavailableException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Analyzes that a call failed that was for no endpoint alone: one by which the start
 * looks at the devices or makes the event channel. Other analyzers know more of an
 * exception that names an endpoint, or what is missing.
 */
class RdmaRuntimeFailureAnalyzer extends AbstractFailureAnalyzer<RdmaException> {

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, RdmaException cause) {
		if (cause instanceof RdmaEndpointException || cause instanceof RdmaUnavailableException) {
			return null;
		}
		String description = String.format("RDMA could not be started.%n%n    Call: %s%n    Reason: %s",
				RdmaEndpointFailureAnalyzer.describeCall(cause), cause.getMessage());
		return new FailureAnalysis(description, advice(cause), cause);
	}

	private static String advice(RdmaException cause) {
		Errno errno = Errno.of(cause.errno());
		if (errno == Errno.ETIMEDOUT) {
			return CallAdvice.notReturned(cause.call(), "'rdma.call-timeout'");
		}
		if (errno == Errno.EMFILE || errno == Errno.ENFILE) {
			return CallAdvice.OPEN_FILES;
		}
		if (errno == Errno.EACCES || errno == Errno.EPERM) {
			return "Check the permissions of /dev/infiniband, and PrivateDevices and DevicePolicy of systemd. "
					+ "In a container, pass /dev/infiniband in.";
		}
		return "The kernel's log (dmesg) may say why. 'rdma link' and 'ibv_devinfo' show the state of the devices.";
	}

}
