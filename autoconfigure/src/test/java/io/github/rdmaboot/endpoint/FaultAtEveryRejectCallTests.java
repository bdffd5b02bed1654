package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.FaultingProvider.Fault;

/**
 * A server that is about to go and rejects the request of a client, with a fault at the
 * calls that end what never was a connection.
 */
class FaultAtEveryRejectCallTests extends FaultAtEveryCallTests {

	@Override
	Map<String, List<Errno>> errnos() {
		Map<String, List<Errno>> errnos = new LinkedHashMap<>();
		errnos.put("rdmaReject", List.of(Errno.EINVAL, Errno.ENXIO));
		errnos.put("rdmaDisconnect", List.of(Errno.EINVAL, Errno.ENXIO));
		errnos.put("rdmaDestroyQp", List.of(Errno.EBUSY));
		errnos.put("rdmaDestroyId", List.of(Errno.EINVAL));
		return errnos;
	}

	@Override
	Set<String> knownCalls() {
		Map<String, List<Errno>> both = allErrnos();
		both.putAll(errnos());
		return both.keySet();
	}

	@Override
	boolean stopsTheUser(Fault fault) {
		return false;
	}

	// The id of a request that nobody wants belongs to no destroy.
	@Override
	boolean isReported(Fault fault) {
		return fault.method().equals("rdmaDestroyQp");
	}

	@Override
	Use prepare(RdmaEndpoints registry) {
		CompletionSettings completion = CompletionSettings.of(mode(), HandlerThread.EXECUTOR);
		registry.addServer(server(completion));
		RdmaClient client = registry.addClient(TestSettings.client("client", "192.0.2.1", 4711, ClientStartup.LAZY,
				TestSettings.NO_RECONNECT, Duration.ofMillis(400), completion));
		return () -> {
			registry.start();
			registry.quiesce();
			CompletableFuture<RdmaConnection> connection = client.connect();
			try {
				connection.get(1, TimeUnit.SECONDS);
				throw new IllegalStateException("A server that is about to go accepted a request");
			}
			catch (ExecutionException ex) {
				// As it should be.
				if (!(ex.getCause() instanceof RdmaEndpointException)) {
					throw ex;
				}
			}
		};
	}

}
