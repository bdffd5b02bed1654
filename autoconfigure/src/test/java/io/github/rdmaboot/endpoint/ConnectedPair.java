package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.rdmaboot.provider.RdmaProvider;

import static org.awaitility.Awaitility.await;

/**
 * Two connected endpoints, each in a registry of its own, as in two processes.
 */
final class ConnectedPair implements AutoCloseable {

	static final QueuePairSettings QUEUE_PAIR = new QueuePairSettings(16, 16, 4, 1, 64);

	static final ConnectionSettings CONNECTION = new ConnectionSettings(4, 4, 6, 7, new byte[0], null, null);

	static final MemorySettings MEMORY = new MemorySettings(4096, 8);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final RdmaEndpoints serverSide;

	private final RdmaEndpoints clientSide;

	private final RdmaServer serverEndpoint;

	private final RdmaClient clientEndpoint;

	private final RdmaConnection server;

	private final RdmaConnection client;

	private ConnectedPair(Supplier<RdmaProvider> providers, String address, QueuePairSettings queuePair,
			ConnectionSettings connection, CompletionSettings completion) throws Exception {
		this((shutdown) -> TestSettings.registry(providers, shutdown, null), address, queuePair, CONNECTION, connection,
				MEMORY, MEMORY, completion);
	}

	private ConnectedPair(Function<ShutdownSettings, RdmaEndpoints> registries, String address,
			QueuePairSettings queuePair, ConnectionSettings connectionOfServer, ConnectionSettings connectionOfClient,
			MemorySettings memoryOfServer, MemorySettings memoryOfClient, CompletionSettings completion)
			throws Exception {
		ShutdownSettings shutdown = new ShutdownSettings(Duration.ofSeconds(20), Duration.ofSeconds(3),
				Duration.ofSeconds(2), Duration.ofSeconds(5));
		this.serverSide = registries.apply(shutdown);
		this.clientSide = registries.apply(shutdown);
		RdmaServer server = this.serverSide.addServer(new ServerSettings("server", address, 0, 16, queuePair,
				connectionOfServer, memoryOfServer, completion));
		this.serverEndpoint = server;
		this.serverSide.start();
		RdmaClient client = this.clientSide.addClient(
				new ClientSettings("client", address, server.port(), null, PATIENCE, PATIENCE, ClientStartup.BACKGROUND,
						TestSettings.NO_RECONNECT, queuePair, connectionOfClient, memoryOfClient, completion));
		this.clientEndpoint = client;
		this.clientSide.start();
		this.client = client.connect().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		await().atMost(PATIENCE)
			.until(() -> server.connections().size() == 1 && server.connections().iterator().next().isOpen());
		this.server = server.connections().iterator().next();
	}

	static ConnectedPair connect(Supplier<RdmaProvider> providers, String address) throws Exception {
		return new ConnectedPair(providers, address, QUEUE_PAIR, CONNECTION, CompletionSettings.defaults());
	}

	// With other settings of the queue pairs.
	static ConnectedPair connect(Supplier<RdmaProvider> providers, String address, QueuePairSettings queuePair)
			throws Exception {
		return new ConnectedPair(providers, address, queuePair, CONNECTION, CompletionSettings.defaults());
	}

	// With other parameters of the client's connection.
	static ConnectedPair connect(Supplier<RdmaProvider> providers, String address, ConnectionSettings connection)
			throws Exception {
		return new ConnectedPair(providers, address, QUEUE_PAIR, connection, CompletionSettings.defaults());
	}

	static ConnectedPair connect(Supplier<RdmaProvider> providers, String address, CompletionSettings completion)
			throws Exception {
		return new ConnectedPair(providers, address, QUEUE_PAIR, CONNECTION, completion);
	}

	// With the same parameters on both sides, but messages of their own.
	static ConnectedPair connect(Supplier<RdmaProvider> providers, String address, QueuePairSettings queuePair,
			ConnectionSettings connection, MemorySettings memoryOfServer, MemorySettings memoryOfClient,
			CompletionSettings completion) throws Exception {
		return new ConnectedPair((shutdown) -> TestSettings.registry(providers, shutdown, null), address, queuePair,
				connection, connection, memoryOfServer, memoryOfClient, completion);
	}

	// With calls of which nobody checks the order, which would take memory.
	static ConnectedPair connectUnchecked(Supplier<RdmaProvider> providers, String address, MemorySettings memory,
			CompletionSettings completion) throws Exception {
		return new ConnectedPair((shutdown) -> new RdmaEndpoints(providers, shutdown, null), address, QUEUE_PAIR,
				CONNECTION, CONNECTION, memory, memory, completion);
	}

	void onMessageOfClient(RdmaMessageHandler handler) {
		this.clientEndpoint.onMessage(handler);
	}

	void onMessageOfServer(RdmaMessageHandler handler) {
		this.serverEndpoint.onMessage(handler);
	}

	EndpointStatistics statisticsOfClient() {
		return this.clientEndpoint.statistics();
	}

	RdmaConnection server() {
		return this.server;
	}

	RdmaConnection client() {
		return this.client;
	}

	@Override
	public void close() {
		this.clientSide.close();
		this.serverSide.close();
	}

}
