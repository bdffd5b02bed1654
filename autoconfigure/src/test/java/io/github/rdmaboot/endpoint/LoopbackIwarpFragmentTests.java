package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.FaultingProvider.Fault;
import io.github.rdmaboot.provider.FaultingProvider.Kind;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Messages in fragments on a device without immediate data.
 */
class LoopbackIwarpFragmentTests extends FragmentContract {

	private static final MemorySettings MEMORY = new MemorySettings(1024, 4,
			new MessageSettings(OversizedMessages.FRAGMENT, 100_000));

	private final LoopbackFabric fabric = LoopbackFabrics.withoutImmediateData("192.0.2.1");

	@Override
	RdmaProvider openProvider() {
		return new LoopbackRdmaProvider(this.fabric);
	}

	@Test
	void aMessageAndItsHeaderAreOneCall() throws Exception {
		List<FaultingProvider> sides = new ArrayList<>();
		Supplier<RdmaProvider> providers = () -> {
			FaultingProvider side = FaultingProvider.of(openProvider(), new CallOrder());
			sides.add(side);
			return side.provider();
		};
		try (ConnectedPair pair = ConnectedPair.connect(providers, "192.0.2.1", ConnectedPair.QUEUE_PAIR,
				ConnectedPair.CONNECTION, MEMORY, MEMORY, CompletionSettings.defaults())) {
			pair.onMessageOfServer((connection, message) -> {
			});
			for (int i = 0; i < 20; i++) {
				pair.client().send(ByteBuffer.allocate(1024)).get(10, TimeUnit.SECONDS);
			}
		}
		assertThat(sides.stream().map(FaultingProvider::counts).filter((calls) -> calls.containsKey("ibvPostSend")))
			.singleElement()
			.satisfies((calls) -> assertThat(calls.get("ibvPostSend")).hasValue(20));
	}

	@Test
	void nothingInlineNeedsNoRoomForInlineData() throws Exception {
		QueuePairSettings queuePair = new QueuePairSettings(8, 8, 1, 1, 0);
		try (ConnectedPair pair = ConnectedPair.connect(this::openProvider, "192.0.2.1", queuePair,
				ConnectedPair.CONNECTION, MEMORY, MEMORY, CompletionSettings.defaults())) {
			RdmaOperations operations = pair.client().operations();
			operations.sendInline(ByteBuffer.allocate(0), new OperationFuture()).get(10, TimeUnit.SECONDS);
			operations.batch(1)
				.sendInline(ByteBuffer.allocate(0))
				.post(new OperationFuture())
				.get(10, TimeUnit.SECONDS);
			for (int i = 0; i < 2; i++) {
				assertThat(pair.server().receive().get(10, TimeUnit.SECONDS)).isEmpty();
			}
		}
	}

	@Test
	void connectionsOfASharedReceiveQueueHaveRoomForHeadersToo() throws Exception {
		QueuePairSettings queuePair = new QueuePairSettings(8, 8, 1, 1, 0);
		try (RdmaEndpoints servers = CheckedEndpoints.create(this::openProvider, ShutdownSettings.defaults(), null);
				RdmaEndpoints clients = CheckedEndpoints.create(this::openProvider, ShutdownSettings.defaults(),
						null)) {
			RdmaServer server = servers.addServer(new ServerSettings("server", "192.0.2.1", 0, 0, queuePair,
					TestSettings.CONNECTION, MEMORY, CompletionSettings.defaults(), ReconnectSettings.defaults(), 8));
			server.onMessage((connection, message) -> connection.send(message));
			servers.start();
			clients.start();
			for (int i = 0; i < 2; i++) {
				RdmaConnection connection = connect(clients, "client-" + i, server.port(), queuePair);
				for (int size : new int[] { 0, 1, 1024, 1025, 20_000 }) {
					byte[] message = new byte[size];
					Arrays.fill(message, (byte) (size + i));
					connection.send(ByteBuffer.wrap(message)).get(10, TimeUnit.SECONDS);
					assertThat(connection.receive().get(10, TimeUnit.SECONDS)).isEqualTo(message);
				}
			}
		}
	}

	private static RdmaConnection connect(RdmaEndpoints clients, String name, int port, QueuePairSettings queuePair)
			throws Exception {
		RdmaClient client = addClient(clients, name, port, queuePair);
		client.start();
		return client.connect().get(10, TimeUnit.SECONDS);
	}

	private static RdmaClient addClient(RdmaEndpoints clients, String name, int port, QueuePairSettings queuePair) {
		return clients.addClient(new ClientSettings(name, "192.0.2.1", port, null, Duration.ofSeconds(5),
				Duration.ofSeconds(5), ClientStartup.BACKGROUND, TestSettings.NO_RECONNECT, queuePair,
				TestSettings.CONNECTION, MEMORY, CompletionSettings.defaults()));
	}

	@Test
	void aQueuePairThatIsTooLargeForTheDeviceSaysOfThePlaceForHeaders() {
		FaultingProvider faults = FaultingProvider.of(openProvider(), new CallOrder());
		faults.inject(new Fault("rdmaCreateQp", 1, Kind.FAIL, Errno.EINVAL.value()));
		try (RdmaEndpoints clients = CheckedEndpoints.create(faults::provider, ShutdownSettings.defaults(), null)) {
			clients.start();
			RdmaClient client = addClient(clients, "client", 4711, new QueuePairSettings(16, 16, 3, 1, 64));
			client.start();
			await().until(() -> client.lastError() != null);
			assertThat(client.lastError()).hasStackTraceContaining("failed with EINVAL")
				.hasStackTraceContaining("it was to take 4 buffers for a send, one more than queue-pair.max-send-sge")
				.hasStackTraceContaining("and 72 bytes inline, 8 more than queue-pair.max-inline-data");
		}
	}

}
