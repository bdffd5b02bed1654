package io.github.rdmaboot.autoconfigure;

import io.github.rdmaboot.endpoint.RdmaEndpointException;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;

/**
 * Analyzes that an endpoint could not be started: names endpoint, address, call and
 * errno, and what to change.
 */
class RdmaEndpointFailureAnalyzer extends AbstractFailureAnalyzer<RdmaEndpointException> {

	private final Environment environment;

	RdmaEndpointFailureAnalyzer(Environment environment) {
		this.environment = environment;
	}

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, RdmaEndpointException cause) {
		String description = String.format(
				"RDMA endpoint '%s' could not be started.%n%n    Address: %s%n    Call: %s%n    Reason: %s",
				cause.endpoint(), cause.address(), describeCall(cause), cause.getMessage());
		return new FailureAnalysis(description, action(cause), cause);
	}

	static String describeCall(RdmaException ex) {
		return ex.call() + ", " + Errno.describe(ex.errno());
	}

	private String action(RdmaEndpointException cause) {
		boolean server = isServer(cause.endpoint());
		String path = SettingsConverter.path(server ? "rdma.servers" : "rdma.clients", cause.endpoint());
		String local = path + (server ? ".address" : ".local-address");
		Errno errno = Errno.of(cause.errno());
		String action = switch ((errno != null) ? errno : Errno.EINVAL) {
			case EADDRINUSE -> "End the process that listens on the port, or change '" + path + ".port'.";
			case EADDRNOTAVAIL ->
				server ? notAvailable(path, cause.address()) : "Set '" + local + "' to an address of this machine.";
			case ENODEV -> "Set '" + local + "' to an address of a network device with an RDMA device behind it: "
					+ "'rdma link' lists them.";
			case ENOENT -> "Check '" + path + ".address': the host name is not known.";
			case EACCES, EPERM -> "Ports below 1024 need the capability CAP_NET_BIND_SERVICE: change '" + path
					+ ".port', or grant it. Also check the permissions of /dev/infiniband.";
			case ETIMEDOUT, ENETUNREACH,
					EHOSTUNREACH ->
				"Check that the peer is up and reachable from an address " + "with an RDMA device"
						+ (server ? "." : ", '" + path + ".address', '" + path + ".resolve-timeout' and '" + path
								+ ".connect-timeout'." + notRequired(path));
			case ECONNREFUSED, ECONNRESET, EPROTO -> "Check that the peer listens for RDMA on that port, '" + path
					+ ".address' and '" + path + ".port'." + notRequired(path);
			case EMFILE, ENFILE -> "Raise the limit of open files (ulimit -n, LimitNOFILE of systemd).";
			case ENOMEM,
					EAGAIN ->
				"Raise the limit of locked memory (ulimit -l, LimitMEMLOCK of systemd, or the "
						+ "capability IPC_LOCK of a container), or lower '" + path + ".memory.buffer-size' or '" + path
						+ ".memory.buffer-count'.";
			case EINVAL -> "Compare '" + path + ".queue-pair' and '" + path + ".connection' with what the device "
					+ "can do: 'ibv_devinfo -v' shows it.";
			default -> null;
		};
		return (action != null) ? action : "Check the settings under '" + path + "'.";
	}

	// The kernel answers so, and not with EADDRINUSE, when one of two listeners on a port
	// listens on all addresses, among which it counts 127.0.0.1.
	private static String notAvailable(String path, String address) {
		String portInUse = "another listener has the port: end it, or change '" + path + ".port'.";
		return (address.startsWith("*:") || address.startsWith("127.")) ? "Most likely " + portInUse
				: "Set '" + path + ".address' to an address of this machine. If it is one, " + portInUse;
	}

	private static String notRequired(String path) {
		return " To start without the peer, do not set '" + path + ".startup' to 'required'.";
	}

	private boolean isServer(String endpoint) {
		return Binder.get(this.environment).bindOrCreate("rdma", RdmaProperties.class).servers().containsKey(endpoint);
	}

}
