package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.RdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A receive queue that the connections of a server share, on any provider.
 */
@Timeout(value = 280, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class SharedReceiveQueueContract {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final QueuePairSettings QUEUE_PAIR = new QueuePairSettings(2, 2, 1, 1, 0);

	private static final MemorySettings MEMORY = new MemorySettings(1024, 2);

	private static final int SHARED = 8;

	private String before;

	private RdmaEndpoints serverSide;

	private RdmaEndpoints clientSide;

	private RdmaServer server;

	/**
	 * Return a provider; each start of a registry asks for one.
	 * @return the provider
	 */
	abstract RdmaProvider openProvider();

	/**
	 * Return what the provider counts of native objects, to compare.
	 * @return the counts
	 */
	abstract String nativeObjects();

	/**
	 * Return how many clients are many.
	 * @return the number
	 */
	abstract int many();

	@BeforeEach
	void startServer() {
		this.before = nativeObjects();
		this.serverSide = CheckedEndpoints.create(this::openProvider, ShutdownSettings.defaults(), null);
		this.server = this.serverSide.addServer(new ServerSettings("server", "192.0.2.1", 0, 0, QUEUE_PAIR,
				TestSettings.CONNECTION, MEMORY, CompletionSettings.defaults(), ReconnectSettings.defaults(), SHARED));
		this.serverSide.start();
		this.clientSide = CheckedEndpoints.create(this::openProvider, ShutdownSettings.defaults(), null);
		this.clientSide.start();
	}

	@AfterEach
	void close() {
		this.clientSide.close();
		this.serverSide.close();
		assertThat(this.server.statistics().registeredBytes()).as("registered by the server").isZero();
		assertThat(nativeObjects()).isEqualTo(this.before);
		checkClosed();
	}

	// Check what is known of the calls, all of which have been made.
	void checkClosed() {
	}

	private RdmaConnection connect(String name) throws Exception {
		RdmaClient client = this.clientSide.addClient(new ClientSettings(name, "192.0.2.1", this.server.port(), null,
				PATIENCE, PATIENCE, ClientStartup.BACKGROUND, TestSettings.NO_RECONNECT, QUEUE_PAIR,
				TestSettings.CONNECTION, MEMORY, CompletionSettings.defaults()));
		client.start();
		return get(client.connect());
	}

	private static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
	}

	private void awaitConnections(int count) {
		await().atMost(PATIENCE).until(() -> this.server.connections().size() == count);
	}

	private long registeredWith(int connections) {
		awaitConnections(connections);
		return this.server.statistics().registeredBytes();
	}

	@Test
	void memoryForReceivingDoesNotGrowWithIdleClients() throws Exception {
		connect("client-1");
		long one = registeredWith(1);
		connect("client-2");
		long forSending = registeredWith(2) - one;
		assertThat(one - forSending).as("bytes for receiving of one connection").isEqualTo(SHARED * 1024);
		for (int i = 3; i <= many(); i++) {
			connect("client-" + i);
		}
		assertThat(registeredWith(many()) - many() * forSending).as("bytes for receiving of %d connections", many())
			.isEqualTo(SHARED * 1024);
	}

	@Test
	void connectionsReceiveTheirOwnMessagesInOrder() throws Exception {
		this.server.onMessage((connection, message) -> connection.send(message, (error) -> {
		}));
		List<RdmaConnection> connections = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			connections.add(connect("client-" + i));
		}
		for (int round = 0; round < 10; round++) {
			List<CompletableFuture<byte[]>> answers = new ArrayList<>();
			for (int i = 0; i < connections.size(); i++) {
				answers.add(connections.get(i).receive());
				connections.get(i).send(ByteBuffer.allocate(1000).putInt(round).putInt(i).rewind());
			}
			for (int i = 0; i < connections.size(); i++) {
				ByteBuffer answer = ByteBuffer.wrap(get(answers.get(i)));
				assertThat(answer.remaining()).isEqualTo(1000);
				assertThat(answer.getInt()).as("round").isEqualTo(round);
				assertThat(answer.getInt()).as("client").isEqualTo(i);
			}
		}
	}

	@Test
	void buffersOfConnectionsThatEndAreForTheOthers() throws Exception {
		RdmaConnection lasting = connect("lasting");
		for (int i = 0; i < 2 * SHARED; i++) {
			RdmaConnection ending = connect("ending-" + i);
			awaitConnections(2);
			// Nobody takes it, so it is still in its buffer at the end.
			get(ending.send(ByteBuffer.wrap(new byte[] { 1 })));
			get(ending.close());
			awaitConnections(1);
		}
		RdmaConnection peer = this.server.connections().iterator().next();
		for (int i = 0; i < 3 * SHARED; i++) {
			get(lasting.send(ByteBuffer.wrap(new byte[] { (byte) i })));
			assertThat(get(peer.receive())).containsExactly(i);
		}
	}

	@Test
	void queueIsDestroyedAfterItsLastConnectionAndMadeAgainForTheNext() throws Exception {
		RdmaConnection first = connect("first");
		awaitConnections(1);
		assertThat(get(first.close()).result()).isEqualTo(DestroyResult.SUCCESS);
		await().atMost(PATIENCE).until(() -> this.server.statistics().registeredBytes() == 0);
		RdmaConnection second = connect("second");
		awaitConnections(1);
		get(second.send(ByteBuffer.wrap(new byte[] { 2 })));
		assertThat(get(this.server.connections().iterator().next().receive())).containsExactly(2);
		assertThat(this.serverSide.destroyAll(DestroyTrigger.SHUTDOWN))
			.allSatisfy((report) -> assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS));
	}

}
