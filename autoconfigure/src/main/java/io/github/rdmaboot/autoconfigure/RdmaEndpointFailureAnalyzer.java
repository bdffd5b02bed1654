package io.github.rdmaboot.autoconfigure;

import java.util.Set;

import io.github.rdmaboot.autoconfigure.RdmaProperties.Client;
import io.github.rdmaboot.endpoint.ClientStartup;
import io.github.rdmaboot.endpoint.ConnectionRejectedException;
import io.github.rdmaboot.endpoint.RdmaEndpointException;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.verbs.MemoryPoolExhaustedException;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;

/**
 * Analyzes that an endpoint could not be started or connected: names endpoint, address,
 * call and errno, and what to change.
 */
class RdmaEndpointFailureAnalyzer extends AbstractFailureAnalyzer<RdmaEndpointException> {

	/** Stands for the properties of the endpoint in an advice. */
	private static final String PATH = "{path}";

	/** Calls that wait for the peer, or for the event by which it answers. */
	private static final Set<String> OF_PEER = Set.of("rdma_resolve_addr", "rdma_resolve_route", "rdma_connect");

	/** Calls of an attempt to connect that come before its address is resolved. */
	private static final Set<String> BEFORE_RESOLVING = Set.of("rdma_create_id", "rdma_set_option");

	private static final String GENERAL_ADVICE = "Check the settings under '{path}'.";

	/** Stands for the advice to start without the peer, if the start waited for it. */
	private static final String OPTIONAL = "{optional}";

	private static final String WITHOUT_PEER = " To start without the peer, do not set '{path}.startup' to 'required'.";

	/** Stands for the advice to use less memory. */
	private static final String SMALLER_BUFFERS = "{smaller-buffers}";

	private final Environment environment;

	RdmaEndpointFailureAnalyzer(Environment environment) {
		this.environment = environment;
	}

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, RdmaEndpointException cause) {
		RdmaProperties properties = Binder.get(this.environment).bindOrCreate("rdma", RdmaProperties.class);
		Kind kind = kindOf(properties, cause.endpoint());
		String path = SettingsConverter.path(kind.map, cause.endpoint());
		String description = String.format(
				"RDMA %s '%s' could not %s.%n%n    Address: %s%n    Call: %s%n    Reason: %s", kind.noun,
				cause.endpoint(), kind.verb, cause.address(), describeCall(cause), cause.getMessage());
		Client client = properties.clients().get(cause.endpoint());
		String optional = (kind == Kind.CLIENT && client != null && client.startup() == ClientStartup.REQUIRED)
				? WITHOUT_PEER : "";
		return new FailureAnalysis(description,
				advice(kind, cause).replace(SMALLER_BUFFERS, kind.smallerBuffers)
					.replace(OPTIONAL, optional)
					.replace(PATH, path),
				cause);
	}

	static String describeCall(RdmaException ex) {
		return ex.call() + ", " + Errno.describe(ex.errno());
	}

	private static String advice(Kind kind, RdmaEndpointException cause) {
		if (cause.getCause() instanceof MemoryPoolExhaustedException) {
			return "Raise 'rdma.memory.pool.max-size'. " + SMALLER_BUFFERS;
		}
		Errno errno = Errno.of(cause.errno());
		if (errno == Errno.EPERM && cause.call().startsWith("ibv_reg_mr")) {
			return lockedMemoryAdvice();
		}
		if (errno == Errno.ENOMEM && cause.call().equals("ByteBuffer.allocateDirect")) {
			return "Start Java with a larger -XX:MaxDirectMemorySize. " + SMALLER_BUFFERS;
		}
		if (errno == null) {
			return GENERAL_ADVICE;
		}
		if (errno == Errno.EINTR) {
			return "The thread that started the endpoint was interrupted, as by an end of the application meanwhile.";
		}
		if (errno == Errno.ETIMEDOUT) {
			return timeoutAdvice(kind, cause.call());
		}
		if (cause.call().equals("sched_setaffinity")) {
			return "Set '{path}.completion.cpu' to one of the CPUs of this process, or leave it out.";
		}
		return switch (kind) {
			case SERVER -> serverAdvice(errno, cause.address());
			case CLIENT -> clientAdvice(errno, cause);
			case DATAGRAMS -> datagramsAdvice(errno, cause);
		};
	}

	private static String timeoutAdvice(Kind kind, String call) {
		if (call.equals("getaddrinfo")) {
			return "The name service did not answer in time: check it and " + hostsOf(kind)
					+ ", or set an address in place of the host name.";
		}
		if (call.equals("rdma_join_multicast")) {
			return multicastAdvice() + " '{path}.connect-timeout' is the limit of a join.";
		}
		if (OF_PEER.contains(call)) {
			return peerAdvice();
		}
		return CallAdvice.notReturned(call, limitOf(kind, call));
	}

	private static String limitOf(Kind kind, String call) {
		if (kind != Kind.CLIENT || call.equals("sched_setaffinity")) {
			return "'rdma.call-timeout'";
		}
		return BEFORE_RESOLVING.contains(call) ? "'{path}.resolve-timeout'" : "'{path}.connect-timeout'";
	}

	private static String multicastAdvice() {
		return "Check '{path}.multicast.groups', and that the network device of '{path}.address' takes multicast: "
				+ "'ip link' shows MULTICAST.";
	}

	private static String peerAdvice() {
		return "Check that the peer is up and reachable, '{path}.address', '{path}.resolve-timeout' and "
				+ "'{path}.connect-timeout'." + OPTIONAL;
	}

	private static String datagramsAdvice(Errno errno, RdmaEndpointException cause) {
		if (cause.call().equals("rdma_join_multicast")) {
			return multicastAdvice();
		}
		if (errno == Errno.EINVAL) {
			return "Compare '{path}.memory.buffer-count' with what the device can do: 'ibv_devinfo -v' shows it.";
		}
		return serverAdvice(errno, cause.address());
	}

	private static String serverAdvice(Errno errno, String address) {
		return switch (errno) {
			case EADDRINUSE -> "End the process that listens on the port, or change '{path}.port'.";
			case EADDRNOTAVAIL -> notAvailableAdvice(address);
			case ENODEV -> noDeviceAdvice("{path}.address");
			case ENOENT -> unknownHostAdvice(Kind.SERVER);
			case EACCES, EPERM -> "Ports below 1024 need the capability CAP_NET_BIND_SERVICE: grant it, or change "
					+ "'{path}.port'. Also check the permissions of /dev/infiniband.";
			default -> commonAdvice(errno);
		};
	}

	// The kernel answers so, and not with EADDRINUSE, when one of two listeners on a port
	// listens on all addresses, among which it counts the loopback address.
	private static String notAvailableAdvice(String address) {
		String portInUse = "another listener has the port: end it, or change '{path}.port'.";
		boolean wildcard = address.startsWith("*:") || address.startsWith("127.") || address.startsWith("[::");
		return wildcard ? "Most likely " + portInUse
				: "Set '{path}.address' to an address of this machine. If it is one, " + portInUse;
	}

	private static String clientAdvice(Errno errno, RdmaEndpointException cause) {
		if (cause instanceof ConnectionRejectedException rejection && rejection.peerReason() != null) {
			return "The peer says why it rejected the request; its log may say more." + OPTIONAL;
		}
		return switch (errno) {
			case EADDRNOTAVAIL -> "Set '{path}.local-address' to an address of this machine.";
			case ENODEV -> noDeviceAdvice("{path}.local-address");
			case ENOENT -> unknownHostAdvice(Kind.CLIENT);
			case ENETUNREACH, EHOSTUNREACH -> peerAdvice();
			case ECONNREFUSED, ECONNRESET, EPROTO -> "Check that the peer listens for RDMA on that port, "
					+ "'{path}.address' and '{path}.port'." + OPTIONAL;
			default -> commonAdvice(errno);
		};
	}

	private static String unknownHostAdvice(Kind kind) {
		return "Check " + hostsOf(kind) + ": the host name is not known.";
	}

	private static String hostsOf(Kind kind) {
		return "'{path}.address'" + ((kind == Kind.CLIENT) ? " or, if it is that host, '{path}.local-address'" : "");
	}

	private static String noDeviceAdvice(String property) {
		return "Set '" + property + "' to an address of a network device with an RDMA device behind it: "
				+ "'rdma link' lists them.";
	}

	private static String commonAdvice(Errno errno) {
		return switch (errno) {
			case EMFILE, ENFILE -> CallAdvice.OPEN_FILES;
			case ENOMEM, EAGAIN -> lockedMemoryAdvice();
			case EINVAL -> "Compare '{path}.queue-pair' and '{path}.connection' with what the device can do: "
					+ "'ibv_devinfo -v' shows it.";
			default -> GENERAL_ADVICE;
		};
	}

	private static String lockedMemoryAdvice() {
		return "Raise the limit of locked memory" + LockedMemoryLimit.describe()
				+ ": ulimit -l, LimitMEMLOCK of systemd, --ulimit memlock=-1 or the capability IPC_LOCK of a container. "
				+ SMALLER_BUFFERS;
	}

	private static Kind kindOf(RdmaProperties properties, String endpoint) {
		if (properties.servers().containsKey(endpoint)) {
			return Kind.SERVER;
		}
		return properties.datagrams().containsKey(endpoint) ? Kind.DATAGRAMS : Kind.CLIENT;
	}

	/**
	 * Kind of endpoint, and how it is spoken of.
	 */
	private enum Kind {

		SERVER("rdma.servers", "server", "be started", "'{path}.memory.buffer-size' or '{path}.memory.buffer-count'"),

		CLIENT("rdma.clients", "client", "connect", "'{path}.memory.buffer-size' or '{path}.memory.buffer-count'"),

		DATAGRAMS("rdma.datagrams", "datagram endpoint", "be started", "'{path}.memory.buffer-count'");

		private final String map;

		private final String noun;

		private final String verb;

		private final String smallerBuffers;

		Kind(String map, String noun, String verb, String sizes) {
			this.map = map;
			this.noun = noun;
			this.verb = verb;
			this.smallerBuffers = "Or lower " + sizes + ".";
		}

	}

}
