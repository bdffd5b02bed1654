package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.FaultingProvider.Fault;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two datagram endpoints in multicast groups, one of which asks the other for its queue
 * pair and is answered, with a fault at each call.
 */
class FaultAtEveryDatagramCallTests extends FaultAtEveryCall {

	private static final InetAddress GROUP = TestSettings.literal("239.1.2.3");

	private static final Set<String> STOPS_THE_USER = Set.of("rdmaCreateId", "rdmaBindAddr", "rdmaListen",
			"rdmaResolveAddr", "rdmaResolveRoute", "rdmaConnect", "rdmaJoinMulticast", "ibvQueryPort", "ibvQueryQp",
			"rdmaCreateQp", "ibvRegMr", "ibvCreateCq", "ibvAllocPd", "ibvPostRecv", "ibvCreateAh");

	@Override
	Map<String, List<Errno>> errnos() {
		Map<String, List<Errno>> errnos = new LinkedHashMap<>();
		errnos.put("rdmaCreateId", List.of(Errno.EINVAL, Errno.ENOMEM));
		errnos.put("rdmaBindAddr", List.of(Errno.EADDRINUSE, Errno.EADDRNOTAVAIL, Errno.ENODEV));
		errnos.put("rdmaListen", List.of(Errno.EADDRINUSE));
		errnos.put("portNumOf", List.of());
		errnos.put("contextOf", List.of());
		errnos.put("ibvQueryPort", List.of(Errno.EINVAL));
		errnos.put("ibvAllocPd", List.of(Errno.ENOMEM));
		errnos.put("ibvCreateCompChannel", List.of(Errno.EMFILE));
		errnos.put("ibvCreateCq", List.of(Errno.ENOMEM));
		errnos.put("ibvRegMr", List.of(Errno.ENOMEM));
		errnos.put("rdmaCreateQp", List.of(Errno.EINVAL, Errno.ENOMEM));
		errnos.put("ibvQueryQp", List.of(Errno.EIO));
		errnos.put("ibvPostRecv", List.of(Errno.ENOMEM));
		errnos.put("rdmaJoinMulticast", List.of(Errno.EINVAL, Errno.ENOMEM));
		errnos.put("rdmaResolveAddr", List.of(Errno.ENETUNREACH, Errno.ENODEV));
		errnos.put("rdmaResolveRoute", List.of(Errno.EINVAL));
		errnos.put("rdmaConnect", List.of(Errno.EINVAL));
		errnos.put("rdmaAccept", List.of(Errno.EINVAL, Errno.ENXIO));
		errnos.put("rdmaGetCmEvent", List.of(Errno.EBADF));
		errnos.put("rdmaAckCmEvent", List.of(Errno.EINVAL));
		errnos.put("ibvCreateAh", List.of(Errno.EINVAL, Errno.EHOSTUNREACH));
		errnos.put("ibvCreateAhFromWc", List.of(Errno.EINVAL));
		errnos.put("ibvPostSend", List.of(Errno.ENOMEM, Errno.EINVAL));
		errnos.put("rdmaLeaveMulticast", List.of(Errno.EADDRNOTAVAIL, Errno.EINVAL));
		errnos.put("ibvModifyQp", List.of(Errno.EINVAL, Errno.EIO));
		errnos.put("rdmaDestroyQp", List.of(Errno.EBUSY, Errno.EIO));
		errnos.put("ibvDestroyAh", List.of(Errno.EIO));
		errnos.put("ibvDeregMr", List.of(Errno.EBUSY, Errno.EIO));
		errnos.put("ibvDestroyCq", List.of(Errno.EBUSY));
		errnos.put("ibvDestroyCompChannel", List.of(Errno.EBUSY));
		errnos.put("ibvDeallocPd", List.of(Errno.EBUSY));
		errnos.put("rdmaDestroyId", List.of(Errno.EBADF, Errno.EINVAL));
		return errnos;
	}

	@Override
	Set<String> knownCalls() {
		Set<String> known = new HashSet<>(errnos().keySet());
		// Calls that connections make in the same way, with the same faults.
		known.addAll(FaultAtEveryCallTests.allErrnos().keySet());
		return known;
	}

	@Override
	boolean stopsTheUser(Fault fault) {
		return fault.number() == 1 && STOPS_THE_USER.contains(fault.method());
	}

	// The id of a question is destroyed when it is answered, outside of any destroy.
	@Override
	boolean isReported(Fault fault) {
		return switch (fault.method()) {
			case "rdmaLeaveMulticast", "rdmaDestroyQp", "ibvDestroyAh", "ibvDeregMr", "ibvDestroyCq",
					"ibvDestroyCompChannel", "ibvDeallocPd" ->
				true;
			case "rdmaDestroyId" -> fault.number() > 2;
			default -> false;
		};
	}

	@Override
	Use prepare(RdmaEndpoints registry) {
		RdmaDatagramEndpoint echo = registry
			.addDatagrams(TestSettings.datagrams("echo", "192.0.2.1", 4711, GROUP.getHostAddress()));
		echo.onDatagram((datagram) -> datagram.reply(datagram.data()));
		RdmaDatagramEndpoint asker = registry
			.addDatagrams(TestSettings.datagrams("asker", "192.0.2.1", null, GROUP.getHostAddress()));
		CompletableFuture<byte[]> answer = new CompletableFuture<>();
		asker.onDatagram((datagram) -> {
			byte[] bytes = new byte[datagram.data().remaining()];
			datagram.data().get(bytes);
			answer.complete(bytes);
		});
		return () -> {
			registry.start();
			DatagramPeer peer = asker.resolve("192.0.2.1", 4711).get(400, TimeUnit.MILLISECONDS);
			asker.send(peer, ByteBuffer.wrap(new byte[] { 1, 2, 3 })).get(200, TimeUnit.MILLISECONDS);
			assertThat(answer.get(200, TimeUnit.MILLISECONDS)).containsExactly(1, 2, 3);
		};
	}

}
