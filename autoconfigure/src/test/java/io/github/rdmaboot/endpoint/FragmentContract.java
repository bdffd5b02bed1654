package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.RdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Messages that are larger than a buffer, on any provider.
 */
@Timeout(value = 200, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class FragmentContract {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private final List<RdmaEndpoints> registries = new ArrayList<>();

	private RdmaServer server;

	/**
	 * Return a provider; each start of a registry asks for one.
	 * @return the provider
	 */
	abstract RdmaProvider openProvider();

	/**
	 * Return what keeps fragments from overrunning the receives of their peer, where its
	 * device does not let them wait.
	 * @return the flow control
	 */
	FlowControl flowControl() {
		return FlowControl.NONE;
	}

	private MessageSettings fragments(int maxSize) {
		return new MessageSettings(OversizedMessages.FRAGMENT, maxSize, flowControl());
	}

	@AfterEach
	void close() {
		this.registries.forEach(RdmaEndpoints::close);
	}

	private RdmaEndpoints registry() {
		RdmaEndpoints registry = CheckedEndpoints.create(this::openProvider, ShutdownSettings.defaults(), null);
		this.registries.add(registry);
		return registry;
	}

	private RdmaConnection connect(MessageSettings ofServer, MessageSettings ofClient) throws Exception {
		RdmaEndpoints servers = registry();
		this.server = servers.addServer(new ServerSettings("server", "192.0.2.1", 0, 0, TestSettings.QUEUE_PAIR,
				TestSettings.CONNECTION, new MemorySettings(1024, 4, ofServer), CompletionSettings.defaults()));
		servers.start();
		RdmaEndpoints clients = registry();
		RdmaClient client = clients.addClient(new ClientSettings("client", "192.0.2.1", this.server.port(), null,
				PATIENCE, PATIENCE, ClientStartup.BACKGROUND, TestSettings.NO_RECONNECT, TestSettings.QUEUE_PAIR,
				TestSettings.CONNECTION, new MemorySettings(1024, 4, ofClient), CompletionSettings.defaults()));
		clients.start();
		return get(client.connect());
	}

	private static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
	}

	private static byte[] random(int size) {
		byte[] bytes = new byte[size];
		new Random(size).nextBytes(bytes);
		return bytes;
	}

	@Test
	void messagesOfAllSizesComeBackByteForByte() throws Exception {
		RdmaConnection connection = connect(fragments(100_000), fragments(100_000));
		assertThat(connection.maxMessageSize()).isEqualTo(100_000);
		this.server.onMessage((from, message) -> {
			assertThat(message.isReadOnly()).isTrue();
			from.send(message);
		});
		for (int size : new int[] { 0, 1, 1023, 1024, 1025, 2048, 2049, 10_000, 100_000 }) {
			byte[] message = random(size);
			CompletableFuture<byte[]> answer = connection.receive();
			get(connection.send(ByteBuffer.wrap(message)));
			assertThat(get(answer)).as("message of %d bytes", size).isEqualTo(message);
		}
	}

	@Test
	void messagesOfManyThreadsDoNotMix() throws Exception {
		RdmaConnection connection = connect(fragments(100_000), fragments(100_000));
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			byte[] message = new byte[3000 + i];
			Arrays.fill(message, (byte) i);
			Thread thread = new Thread(() -> {
				for (int n = 0; n < 10; n++) {
					connection.send(ByteBuffer.wrap(message), (error) -> {
					});
				}
			}, "sender-" + i);
			threads.add(thread);
			thread.start();
		}
		await().atMost(PATIENCE).until(() -> !this.server.connections().isEmpty());
		RdmaConnection peer = this.server.connections().iterator().next();
		int[] received = new int[4];
		for (int n = 0; n < 40; n++) {
			byte[] message = get(peer.receive());
			int sender = message.length - 3000;
			assertThat(message).containsOnly(sender);
			received[sender]++;
		}
		assertThat(received).containsOnly(10);
		for (Thread thread : threads) {
			thread.join();
		}
	}

	@Test
	void messageThatIsLargerThanTheLargestIsRefusedWithTheSizes() throws Exception {
		RdmaConnection connection = connect(fragments(100_000), fragments(100_000));
		assertThatIllegalArgumentException().isThrownBy(() -> connection.send(ByteBuffer.allocate(100_001)))
			.withMessageContaining("100001 bytes is larger than messages.max-size")
			.withMessageContaining("100000B");
		assertThat(connection.isOpen()).isTrue();
	}

	@Test
	void messageThatIsTooLargeForThePeerEndsTheConnectionWithTheProperty() throws Exception {
		RdmaConnection connection = connect(fragments(5000), fragments(100_000));
		await().atMost(PATIENCE).until(() -> !this.server.connections().isEmpty());
		CompletableFuture<byte[]> waiting = this.server.connections().iterator().next().receive();
		// The end of the connection may come before the last fragment.
		CompletableFuture<Void> sent = CompletableFuture.supplyAsync(() -> connection.send(ByteBuffer.allocate(20_000)))
			.thenCompose((send) -> send);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(waiting))
			.withStackTraceContaining("more than messages.max-size, which is 5000B");
		expectTooLarge(connection, sent);
	}

	// Check what the sender is told.
	void expectTooLarge(RdmaConnection connection, CompletableFuture<Void> sent) throws Exception {
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(sent))
			.withStackTraceContaining("the peer ended the connection while a message of 20000 bytes in fragments")
			.withStackTraceContaining("when its messages.max-size is smaller than that");
		assertThat(connection.isOpen()).isFalse();
	}

	@Test
	void connectionThatEndsWhenAllHasArrivedDoesNotEndInTheMiddleOfAMessage() throws Exception {
		RdmaConnection connection = connect(fragments(100_000), fragments(100_000));
		await().atMost(PATIENCE).until(() -> !this.server.connections().isEmpty());
		RdmaConnection peer = this.server.connections().iterator().next();
		CompletableFuture<byte[]> message = peer.receive();
		get(connection.send(ByteBuffer.allocate(3000)));
		assertThat(get(message)).hasSize(3000);
		peer.close();
		await().atMost(PATIENCE).until(() -> !connection.isOpen());
		get(connection.close());
		assertThatExceptionOfType(ConnectionClosedException.class)
			.isThrownBy(() -> connection.send(ByteBuffer.allocate(1)))
			.withNoCause()
			.withMessageNotContaining("was on its way");
	}

	@Test
	void messageOfOneFragmentThatIsTooLargeForThePeerEndsTheConnectionAsWell() throws Exception {
		RdmaConnection connection = connect(fragments(500), fragments(100_000));
		await().atMost(PATIENCE).until(() -> !this.server.connections().isEmpty());
		CompletableFuture<byte[]> waiting = this.server.connections().iterator().next().receive();
		connection.send(ByteBuffer.allocate(501), (error) -> {
		});
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(waiting))
			.withStackTraceContaining("more than messages.max-size, which is 500B");
	}

	@Test
	void peerThatIsConfiguredOtherwiseEndsTheConnectionWithTheProperty() throws Exception {
		RdmaConnection connection = connect(fragments(100_000), MessageSettings.defaults());
		await().atMost(PATIENCE).until(() -> !this.server.connections().isEmpty());
		CompletableFuture<byte[]> waiting = this.server.connections().iterator().next().receive();
		connection.send(ByteBuffer.allocate(20), (error) -> {
		});
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(waiting))
			.withStackTraceContaining(
					"set " + ((flowControl() == FlowControl.NONE) ? "messages.oversized" : "messages.flow-control")
							+ " of both sides alike");
	}

}
