package io.github.rdmaboot.autoconfigure;

import io.github.rdmaboot.endpoint.RdmaOpeningException;
import io.github.rdmaboot.provider.Errno;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Analyzes that a call failed that was for no endpoint alone: one by which the start
 * looks at the devices or makes the event channel.
 */
class RdmaRuntimeFailureAnalyzer extends AbstractFailureAnalyzer<RdmaOpeningException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, RdmaOpeningException cause) {
		String description = String.format("RDMA could not be started.%n%n    Call: %s%n    Reason: %s",
				RdmaEndpointFailureAnalyzer.describeCall(cause), cause.getMessage());
		return new FailureAnalysis(description, advice(cause), cause);
	}

	private static String advice(RdmaOpeningException cause) {
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
