package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.FaultingProvider.Fault;
import io.github.rdmaboot.verbs.CompletionMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A server and a client that connect, exchange a message and are destroyed, with a fault
 * at each call.
 */
class FaultAtEveryCallTests extends FaultAtEveryCall {

	private static final Set<String> STOPS_THE_USER = Set.of("createWaker", "rdmaCreateEventChannel", "rdmaCreateId",
			"rdmaBindAddr", "rdmaListen", "rdmaResolveAddr", "rdmaResolveRoute", "rdmaConnect");

	static final QueuePairSettings QUEUE_PAIR = TestSettings.QUEUE_PAIR;

	/** With an option, which is set before connecting and accepting. */
	static final ConnectionSettings CONNECTION = new ConnectionSettings(1, 1, 6, 7, new byte[0], 0, null);

	ServerSettings server(CompletionSettings completion) {
		return new ServerSettings("server", "192.0.2.1", 4711, 16, QUEUE_PAIR, CONNECTION, memory(), completion);
	}

	MemorySettings memory() {
		return TestSettings.MEMORY;
	}

	byte[] message() {
		return new byte[] { 1, 2, 3 };
	}

	CompletionMode mode() {
		return CompletionMode.EVENT;
	}

	@Override
	Map<String, List<Errno>> errnos() {
		return allErrnos();
	}

	@Override
	Set<String> knownCalls() {
		return allErrnos().keySet();
	}

	static Map<String, List<Errno>> allErrnos() {
		Map<String, List<Errno>> errnos = new LinkedHashMap<>();
		errnos.put("createWaker", List.of(Errno.EMFILE, Errno.ENOMEM));
		errnos.put("awaitCmEvent", List.of(Errno.EBADF));
		errnos.put("awaitCqEvent", List.of(Errno.EBADF, Errno.EIO));
		errnos.put("rdmaCreateEventChannel", List.of(Errno.ENODEV, Errno.ENOENT, Errno.EACCES, Errno.EMFILE));
		errnos.put("rdmaCreateId", List.of(Errno.EINVAL, Errno.ENODEV, Errno.ENOMEM));
		errnos.put("rdmaBindAddr", List.of(Errno.EADDRINUSE, Errno.EADDRNOTAVAIL, Errno.ENODEV, Errno.EACCES));
		errnos.put("rdmaListen", List.of(Errno.EINVAL, Errno.EADDRINUSE));
		errnos.put("rdmaResolveAddr", List.of(Errno.ENETUNREACH, Errno.EHOSTUNREACH, Errno.ENODEV));
		errnos.put("rdmaResolveRoute", List.of(Errno.EINVAL, Errno.ENXIO));
		errnos.put("rdmaGetCmEvent", List.of(Errno.EBADF));
		errnos.put("rdmaAckCmEvent", List.of(Errno.EINVAL));
		errnos.put("describeDevices", List.of());
		errnos.put("rdmaSetOption", List.of(Errno.EINVAL, Errno.ENOSYS));
		errnos.put("portNumOf", List.of());
		errnos.put("ibvQueryPort", List.of(Errno.EINVAL));
		errnos.put("ibvQueryQp", List.of(Errno.EINVAL, Errno.EIO));
		errnos.put("contextOf", List.of());
		errnos.put("deviceOf", List.of());
		errnos.put("transportTypeOf", List.of());
		errnos.put("ibvGetDeviceName", List.of());
		errnos.put("rdmaGetLocalAddr", List.of());
		errnos.put("rdmaGetPeerAddr", List.of());
		errnos.put("ibvAllocPd", List.of(Errno.ENOMEM));
		errnos.put("ibvCreateCompChannel", List.of(Errno.EMFILE, Errno.ENOMEM));
		errnos.put("ibvCreateCq", List.of(Errno.EINVAL, Errno.ENOMEM));
		errnos.put("ibvReqNotifyCq", List.of(Errno.EIO));
		errnos.put("ibvGetCqEvent", List.of(Errno.EIO));
		errnos.put("ibvAckCqEvents", List.of());
		errnos.put("ibvPollCq", List.of());
		errnos.put("ibvRegMr", List.of(Errno.ENOMEM, Errno.EPERM, Errno.EINVAL));
		errnos.put("rdmaCreateQp", List.of(Errno.EINVAL, Errno.ENOMEM));
		errnos.put("ibvPostRecv", List.of(Errno.ENOMEM, Errno.EINVAL));
		errnos.put("ibvPostSend", List.of(Errno.ENOMEM, Errno.EINVAL));
		errnos.put("ibvModifyQp", List.of(Errno.EINVAL, Errno.EIO));
		errnos.put("rdmaConnect", List.of(Errno.EINVAL, Errno.ENXIO));
		errnos.put("rdmaAccept", List.of(Errno.EINVAL, Errno.ENXIO));
		errnos.put("rdmaDisconnect", List.of(Errno.EINVAL, Errno.ENXIO, Errno.EIO));
		errnos.put("rdmaDestroyQp", List.of(Errno.EBUSY, Errno.EIO));
		errnos.put("ibvDeregMr", List.of(Errno.EBUSY, Errno.EIO));
		errnos.put("ibvDestroyCq", List.of(Errno.EBUSY));
		errnos.put("ibvDestroyCompChannel", List.of(Errno.EBUSY));
		errnos.put("ibvDeallocPd", List.of(Errno.EBUSY));
		errnos.put("rdmaDestroyId", List.of(Errno.EBADF, Errno.ENOENT, Errno.EINVAL, Errno.EACCES));
		errnos.put("rdmaDestroyEventChannel", List.of());
		errnos.put("destroyWaker", List.of());
		errnos.put("close", List.of());
		errnos.put("wake", List.of());
		return errnos;
	}

	@Override
	boolean stopsTheUser(Fault fault) {
		return fault.number() == 1 && STOPS_THE_USER.contains(fault.method());
	}

	@Override
	boolean isReported(Fault fault) {
		return switch (fault.method()) {
			case "rdmaDestroyQp", "ibvDeregMr", "ibvDestroyCq", "ibvDestroyCompChannel", "ibvDeallocPd",
					"rdmaDestroyId" ->
				true;
			// The other ones say that there is nothing to disconnect any more.
			case "rdmaDisconnect" -> !fault.isFailure() || fault.errno() == Errno.EIO.value();
			default -> false;
		};
	}

	@Override
	Use prepare(RdmaEndpoints registry) {
		CompletionSettings completion = CompletionSettings.of(mode(), HandlerThread.EXECUTOR);
		RdmaServer server = registry.addServer(server(completion));
		server.onMessage((connection, message) -> connection.send(message, (error) -> {
		}));
		RdmaClient client = registry.addClient(
				new ClientSettings("client", "192.0.2.1", 4711, null, Duration.ofSeconds(2), Duration.ofSeconds(1),
						ClientStartup.LAZY, TestSettings.NO_RECONNECT, QUEUE_PAIR, CONNECTION, memory(), completion));
		byte[] message = message();
		return () -> {
			registry.start();
			RdmaConnection connection = client.connection();
			connection.send(ByteBuffer.wrap(message)).get(1, TimeUnit.SECONDS);
			assertThat(connection.receive().get(1, TimeUnit.SECONDS)).containsExactly(message);
		};
	}

}
