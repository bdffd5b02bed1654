package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;
import io.github.rdmaboot.provider.jna.KernelObjects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Our endpoints with the example programs of rdma-core as peers.
 */
class UpstreamPeersIT {

	private static final String ADDRESS = "192.0.2.1";

	/**
	 * Begins again when the program was not there yet, but not while it is about to end:
	 * it would take the request for one too many.
	 */
	private static final ReconnectSettings PATIENT = new ReconnectSettings(true, Duration.ofSeconds(3),
			Duration.ofSeconds(3), 0, 0);

	private static final int CONNECTIONS = 10;

	private static final int MESSAGES = 100;

	private static final int SIZE = 100;

	/** What ucmatose sends at once has to find a receive, or it gives up. */
	private static final QueuePairSettings MANY = new QueuePairSettings(128, 128, 1, 1, 0);

	private static final MemorySettings MANY_BUFFERS = new MemorySettings(128, 128);

	/**
	 * The message of rdma_client and rdma_server, a static array that they do not fill.
	 */
	private static final byte[] ZEROS = new byte[16];

	private final RdmaEndpoints registry = CheckedEndpoints.create(JnaRdmaProvider::open, ShutdownSettings.defaults(),
			null);

	private String before = "";

	@BeforeEach
	void countKernelObjects() {
		this.before = KernelObjects.counts();
	}

	@AfterEach
	void leavesNoKernelObjects() {
		assertThat(this.registry.destroyAll(DestroyTrigger.SHUTDOWN))
			.allSatisfy((report) -> assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS));
		this.registry.close();
		assertThat(KernelObjects.counts()).isEqualTo(this.before);
	}

	@Test
	void rdmaClientCompletesAgainstOurServer() throws Exception {
		RdmaServer server = this.registry.addServer(TestSettings.server("echo", ADDRESS, 7471));
		Queue<ByteBuffer> contents = new ConcurrentLinkedQueue<>();
		server.onMessage((connection, message) -> {
			contents.add(ByteBuffer.allocate(message.remaining()).put(message.duplicate()).flip());
			connection.send(message, (error) -> {
			});
		});
		this.registry.start();
		UpstreamProgram peer = UpstreamProgram.start("rdma_client", "-s", ADDRESS, "-p", "7471");
		assertThat(peer.exitStatus()).as("exit status of rdma_client").isZero();
		assertThat(contents).as("what rdma_client sends").containsExactly(ByteBuffer.wrap(ZEROS));
		await().atMost(30, TimeUnit.SECONDS).until(() -> server.connections().isEmpty());
	}

	@Test
	void ourClientCompletesAgainstRdmaServer() throws Exception {
		UpstreamProgram peer = UpstreamProgram.start("rdma_server", "-s", ADDRESS, "-p", "7472");
		RdmaClient client = this.registry
			.addClient(TestSettings.client("upstream", ADDRESS, 7472, ClientStartup.BACKGROUND, PATIENT));
		this.registry.start();
		await().atMost(30, TimeUnit.SECONDS).until(() -> client.state() == EndpointState.UP);
		RdmaConnection connection = client.connection();
		connection.send(ByteBuffer.allocate(16)).get(30, TimeUnit.SECONDS);
		assertThat(connection.receive().get(30, TimeUnit.SECONDS)).as("what rdma_server sends").isEqualTo(ZEROS);
		connection.close().get(30, TimeUnit.SECONDS);
		assertThat(peer.exitStatus()).as("exit status of rdma_server").isZero();
	}

	@ParameterizedTest
	@ValueSource(ints = { 64, 16 * 1024 })
	void rpingPingsOurServer(int size) throws Exception {
		Pings.Server pings = new Pings.Server(size);
		RdmaServer server = this.registry.addServer(TestSettings.server("ping-server", ADDRESS, 7473));
		server.onMessage(pings);
		this.registry.start();
		UpstreamProgram peer = UpstreamProgram.start("rping", "-c", "-a", ADDRESS, "-p", "7473", "-C", "1000", "-S",
				String.valueOf(size), "-V");
		assertThat(peer.exitStatus()).as("exit status of rping, which has compared what it sent and got").isZero();
		assertThat(pings.wrong()).as("texts that differ from what rping sends").isEmpty();
		assertThat(pings.served()).isEqualTo(1000);
		await().atMost(30, TimeUnit.SECONDS).until(() -> server.connections().isEmpty());
	}

	@ParameterizedTest
	@ValueSource(ints = { 64, 16 * 1024 })
	void ourClientPingsRping(int size) throws Exception {
		UpstreamProgram peer = UpstreamProgram.start("rping", "-s", "-a", ADDRESS, "-p", "7474", "-C", "1000", "-S",
				String.valueOf(size), "-V");
		RdmaClient client = this.registry
			.addClient(TestSettings.client("ping-client", ADDRESS, 7474, ClientStartup.BACKGROUND, PATIENT));
		this.registry.start();
		await().atMost(30, TimeUnit.SECONDS).until(() -> client.state() == EndpointState.UP);
		RdmaConnection connection = client.connection();
		Pings.ping(connection, 1000, size);
		connection.close().get(30, TimeUnit.SECONDS);
		assertThat(peer.exitStatus()).as("exit status of rping").isZero();
	}

	@Test
	void ucmatoseExchangesMessagesWithOurServerOverTenConnections() throws Exception {
		Queue<RdmaConnection> connections = new ConcurrentLinkedQueue<>();
		RdmaServer server = this.registry.addServer(new ServerSettings("many", ADDRESS, 7475, 16, MANY,
				TestSettings.CONNECTION, MANY_BUFFERS, CompletionSettings.defaults()));
		server.onConnection(connections::add);
		this.registry.start();
		UpstreamProgram peer = UpstreamProgram.start("ucmatose", "-s", ADDRESS, "-p", "7475", "-c",
				String.valueOf(CONNECTIONS), "-C", String.valueOf(MESSAGES), "-S", String.valueOf(SIZE));
		await().atMost(60, TimeUnit.SECONDS).until(() -> connections.size() == CONNECTIONS);
		for (RdmaConnection connection : connections) {
			sendAll(connection);
		}
		for (RdmaConnection connection : connections) {
			receiveAll(connection);
		}
		for (RdmaConnection connection : connections) {
			connection.close().get(60, TimeUnit.SECONDS);
		}
		assertThat(peer.exitStatus()).as("exit status of ucmatose").isZero();
		assertThat(server.statistics().messagesReceived()).isEqualTo(CONNECTIONS * MESSAGES);
	}

	@Test
	void ourTenClientsExchangeMessagesWithUcmatose() throws Exception {
		UpstreamProgram peer = UpstreamProgram.start("ucmatose", "-b", ADDRESS, "-p", "7476", "-c",
				String.valueOf(CONNECTIONS), "-C", String.valueOf(MESSAGES), "-S", String.valueOf(SIZE));
		List<RdmaClient> clients = new ArrayList<>();
		for (int i = 0; i < CONNECTIONS; i++) {
			clients.add(this.registry.addClient(new ClientSettings("client-" + i, ADDRESS, 7476, null,
					Duration.ofSeconds(5), Duration.ofSeconds(20), ClientStartup.BACKGROUND, PATIENT, MANY,
					TestSettings.CONNECTION, MANY_BUFFERS, CompletionSettings.defaults())));
		}
		this.registry.start();
		for (RdmaClient client : clients) {
			await().atMost(60, TimeUnit.SECONDS).until(() -> client.state() == EndpointState.UP);
		}
		List<RdmaConnection> connections = clients.stream().map(RdmaClient::connection).toList();
		for (RdmaConnection connection : connections) {
			receiveAll(connection);
		}
		for (RdmaConnection connection : connections) {
			sendAll(connection);
		}
		assertThat(peer.exitStatus()).as("exit status of ucmatose").isZero();
	}

	private static void sendAll(RdmaConnection connection) throws Exception {
		List<CompletableFuture<Void>> sent = new ArrayList<>();
		for (int i = 0; i < MESSAGES; i++) {
			sent.add(connection.send(ByteBuffer.allocate(SIZE)));
		}
		for (CompletableFuture<Void> one : sent) {
			one.get(60, TimeUnit.SECONDS);
		}
	}

	private static void receiveAll(RdmaConnection connection) throws Exception {
		for (int i = 0; i < MESSAGES; i++) {
			assertThat(connection.receive().get(60, TimeUnit.SECONDS)).as("message %d of %s", i, connection)
				.hasSize(SIZE);
		}
	}

}
