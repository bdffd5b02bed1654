package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;

import io.github.rdmaboot.cm.CmIdState;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyStepName;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.TransportRules;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * What servers and clients do, on any provider.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class EndpointContract {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	static final int UNCOUNTED = -1;

	private final List<RdmaEndpoints> registries = new ArrayList<>();

	/**
	 * Return a provider; each start of a registry asks for one.
	 * @return the provider
	 */
	abstract RdmaProvider openProvider();

	/**
	 * Return an address of this host that endpoints can listen on.
	 * @return the address
	 */
	abstract String localAddress();

	/**
	 * Return an address whose host answers nothing.
	 * @return the address
	 */
	abstract String silentAddress();

	/**
	 * Return an address that is not one of this host.
	 * @return the address
	 */
	abstract String foreignAddress();

	/**
	 * Return where the transport differs from others.
	 * @return its rules
	 */
	TransportRules rules() {
		return new TransportRules() {
		};
	}

	/**
	 * Return what the provider counts of native objects, to compare.
	 * @return the counts
	 */
	abstract String nativeObjects();

	@AfterEach
	void closeRegistries() {
		this.registries.forEach(RdmaEndpoints::close);
	}

	RdmaEndpoints registry() {
		return registry(new ShutdownSettings(Duration.ofSeconds(20), Duration.ofSeconds(3), Duration.ofSeconds(2),
				Duration.ofSeconds(5)));
	}

	RdmaEndpoints registry(ShutdownSettings shutdown) {
		RdmaEndpoints registry = TestSettings.registry(this::openProvider, shutdown, null);
		this.registries.add(registry);
		return registry;
	}

	RdmaServer echoServer(RdmaEndpoints registry) {
		RdmaServer server = registry.addServer(TestSettings.server("echo", localAddress(), 0));
		server.onMessage((connection, message) -> connection.send(message, (error) -> {
		}));
		return server;
	}

	RdmaClient client(RdmaEndpoints registry, RdmaServer server, ReconnectSettings reconnect) {
		return registry.addClient(
				TestSettings.client("echo-client", localAddress(), server.port(), ClientStartup.BACKGROUND, reconnect));
	}

	RdmaClient startedClient(RdmaEndpoints registry, RdmaServer server) {
		RdmaClient client = client(registry, server, TestSettings.NO_RECONNECT);
		client.start();
		return client;
	}

	static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
	}

	@Test
	void messagesOfAllSizesComeBackByteForByte() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaServer server = echoServer(registry);
		registry.start();
		RdmaConnection connection = get(startedClient(registry, server).connect());
		Random random = new Random(1);
		for (int size : new int[] { 0, 1, 2, 63, 64, 4095, 4096, 4097, 60 * 1024, 64 * 1024 }) {
			byte[] message = new byte[size];
			random.nextBytes(message);
			get(connection.send(ByteBuffer.wrap(message)));
			assertThat(get(connection.receive())).as("message of %d bytes", size).isEqualTo(message);
		}
		assertThat(server.statistics().messagesReceived()).isEqualTo(10);
		await().atMost(PATIENCE).until(() -> server.statistics().messagesSent() == 10);
		assertThat(server.statistics().bytesReceived()).isEqualTo(1 + 2 + 63 + 64 + 4095 + 4096 + 4097 + 124L * 1024);
	}

	@Test
	void buffersNeedNotFillPages() throws Exception {
		RdmaEndpoints registry = registry();
		MemorySettings small = new MemorySettings(100, 3);
		RdmaServer server = registry.addServer(new ServerSettings("echo", localAddress(), 0, 16,
				TestSettings.QUEUE_PAIR, TestSettings.CONNECTION, small, CompletionSettings.defaults()));
		server.onMessage((connection, message) -> connection.send(message, (error) -> {
		}));
		registry.start();
		RdmaClient client = registry.addClient(new ClientSettings("echo-client", localAddress(), server.port(), null,
				PATIENCE, PATIENCE, ClientStartup.BACKGROUND, TestSettings.NO_RECONNECT, TestSettings.QUEUE_PAIR,
				TestSettings.CONNECTION, small, CompletionSettings.defaults()));
		client.start();
		RdmaConnection connection = get(client.connect());
		byte[] message = new byte[100];
		new Random(2).nextBytes(message);
		get(connection.send(ByteBuffer.wrap(message)));
		assertThat(get(connection.receive())).isEqualTo(message);
	}

	@Test
	void moreMessagesThanBuffersArriveInOrder() throws Exception {
		if (!rules().messagesWaitForReceives()) {
			moreMessagesThanBuffersEndTheConnection();
			return;
		}
		RdmaEndpoints registry = registry();
		RdmaServer server = echoServer(registry);
		registry.start();
		RdmaConnection connection = get(startedClient(registry, server).connect());
		BlockingQueue<Integer> answers = new LinkedBlockingQueue<>();
		((RdmaClient) Objects.requireNonNull(registry.find("echo-client")))
			.onMessage((from, message) -> answers.add(message.getInt()));
		BlockingQueue<String> outcomes = new LinkedBlockingQueue<>();
		for (int i = 0; i < 200; i++) {
			connection.send(ByteBuffer.allocate(4).putInt(i).flip(), (error) -> outcomes.add(String.valueOf(error)));
		}
		for (int i = 0; i < 200; i++) {
			assertThat(answers.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as("answer %d", i).isEqualTo(i);
		}
		await().atMost(PATIENCE).until(() -> outcomes.size() == 200);
		assertThat(outcomes).containsOnly("null");
	}

	private void moreMessagesThanBuffersEndTheConnection() throws Exception {
		RdmaEndpoints registry = registry();
		CountDownLatch ended = new CountDownLatch(1);
		RdmaServer server = registry.addServer(TestSettings.server("busy", localAddress(), 0));
		server.onMessage((connection, message) -> ended.await());
		registry.start();
		RdmaClient client = client(registry, server, TestSettings.NO_RECONNECT);
		client.start();
		RdmaConnection connection = get(client.connect());
		BlockingQueue<String> outcomes = new LinkedBlockingQueue<>();
		int sent = 0;
		try {
			for (int i = 0; i < 200; i++) {
				connection.send(ByteBuffer.allocate(4).putInt(i).flip(),
						(error) -> outcomes.add(String.valueOf(error)));
				sent++;
			}
		}
		catch (ConnectionClosedException ex) {
			assertThat(sent).as("messages before the end").isGreaterThanOrEqualTo(TestSettings.MEMORY.bufferCount());
		}
		int answered = sent;
		await().atMost(PATIENCE).until(() -> outcomes.size() == answered);
		await().atMost(PATIENCE).until(() -> client.state() == EndpointState.DOWN);
		ended.countDown();
		await().atMost(PATIENCE).until(() -> server.connections().isEmpty());
		assertThat(get(client.connect()).isOpen()).isTrue();
	}

	@Test
	void optionsOfBothSidesAreTakenBeforeConnecting() throws Exception {
		ConnectionSettings options = new ConnectionSettings(1, 1, 6, 7, new byte[0], 32, 15);
		RdmaEndpoints registry = registry();
		RdmaServer server = registry.addServer(new ServerSettings("echo", localAddress(), 0, 16,
				TestSettings.QUEUE_PAIR, options, TestSettings.MEMORY, CompletionSettings.defaults()));
		server.onMessage((connection, message) -> connection.send(message, (error) -> {
		}));
		registry.start();
		RdmaClient client = registry.addClient(new ClientSettings("client", localAddress(), server.port(), null,
				Duration.ofSeconds(2), Duration.ofSeconds(5), ClientStartup.LAZY, TestSettings.NO_RECONNECT,
				TestSettings.QUEUE_PAIR, options, TestSettings.MEMORY, CompletionSettings.defaults()));
		client.start();
		RdmaConnection connection = get(client.connect());
		get(connection.send(ByteBuffer.wrap(new byte[] { 9 })));
		assertThat(get(connection.receive())).containsExactly(9);
		assertThat(optionCalls()).as("calls of rdma_set_option, two for each side").isIn(4, UNCOUNTED);
	}

	// How often an option was set, where the provider is counted.
	int optionCalls() {
		return UNCOUNTED;
	}

	@Test
	void messageLargerThanTheBufferIsRefusedWithTheSizes() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaServer server = echoServer(registry);
		registry.start();
		RdmaConnection connection = get(startedClient(registry, server).connect());
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> connection.send(ByteBuffer.allocate(64 * 1024 + 1)))
			.withMessageContaining("65537")
			.withMessageContaining("65536")
			.withMessageContaining("memory.buffer-size");
		assertThat(connection.isOpen()).isTrue();
	}

	@Test
	void destroyFreesEverythingAndReportsEachStep() throws Exception {
		String before = nativeObjects();
		RdmaEndpoints registry = registry();
		RdmaServer server = echoServer(registry);
		registry.start();
		RdmaClient client = startedClient(registry, server);
		get(client.connect());
		await().atMost(PATIENCE).until(() -> server.connections().size() == 1);
		List<DestroyReport> reports = registry.destroyAll(DestroyTrigger.SHUTDOWN);
		assertThat(reports).hasSize(2).allSatisfy((report) -> {
			assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
			assertThat(report.trigger()).isEqualTo(DestroyTrigger.SHUTDOWN);
			assertThat(report.connections()).isEqualTo(1);
			assertThat(report.durations()).containsKeys(DestroyStepName.DISCONNECT, DestroyStepName.DESTROY_QP,
					DestroyStepName.DEREG_MR, DestroyStepName.DESTROY_CQ, DestroyStepName.DESTROY_ID);
		});
		assertThat(server.state()).isEqualTo(EndpointState.IDLE);
		assertThat(client.cmId().state()).isEqualTo(CmIdState.NONE);
		assertThat(server.cmId().state()).isEqualTo(CmIdState.NONE);
		assertThat(server.statistics().registeredBytes()).isZero();
		assertThat(registry.unacknowledgedEvents()).isZero();
		assertThat(nativeObjects()).isEqualTo(before);
	}

	@Test
	void aClientWhoseConnectionWasJustClosedConnectsAnewWhenAskedTo() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaServer server = echoServer(registry);
		registry.start();
		RdmaClient client = startedClient(registry, server);
		get(client.connect());
		for (int i = 0; i < 20; i++) {
			RdmaConnection connection = client.connection();
			CompletableFuture<DestroyReport> closed = connection.close();
			assertThat(connection.isOpen()).as("open after close").isFalse();
			RdmaConnection next = get(client.connect());
			assertThat(next).as("what comes after a close").isNotSameAs(connection);
			assertThat(get(closed).result()).isEqualTo(DestroyResult.SUCCESS);
			assertThat(next.isOpen()).as("the new connection").isTrue();
		}
	}

	@Test
	void peerThatClosesTakesTheClientDownAndItConnectsAgain() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaServer server = echoServer(registry);
		registry.start();
		RdmaClient client = client(registry, server, TestSettings.RECONNECT);
		client.start();
		RdmaConnection first = get(client.connect());
		await().atMost(PATIENCE).until(() -> server.connections().size() == 1);
		CompletableFuture<byte[]> unanswered = first.receive();
		DestroyReport report = get(server.connections().iterator().next().close());
		assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(unanswered))
			.withCauseInstanceOf(ConnectionClosedException.class);
		await().atMost(PATIENCE).until(() -> client.state() == EndpointState.UP && client.cmId().generation() == 2);
		RdmaConnection second = get(client.connect());
		assertThat(second).isNotSameAs(first);
		get(second.send(ByteBuffer.wrap(new byte[] { 7 })));
		assertThat(get(second.receive())).containsExactly(7);
		assertThat(client.statistics().reconnects()).isEqualTo(1);
		assertThat(client.lastError()).isNull();
		assertThatExceptionOfType(ConnectionClosedException.class)
			.isThrownBy(() -> first.send(ByteBuffer.wrap(new byte[] { 1 })));
	}

	@Test
	void endOfAllEndpointsIsToldToWhoeverWaitsForTheirConnections() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaServer server = registry.addServer(TestSettings.server("mute", localAddress(), 0));
		registry.start();
		RdmaConnection connection = get(startedClient(registry, server).connect());
		CompletableFuture<byte[]> message = connection.receive();
		registry.destroyAll(DestroyTrigger.MANUAL);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(message))
			.withCauseInstanceOf(ConnectionClosedException.class);
		assertThat(get(connection.close()).result()).isEqualTo(DestroyResult.SUCCESS);
	}

	@Test
	void clientWithoutListenerFailsWithTheReasonOfThePeer() {
		RdmaEndpoints registry = registry();
		registry.addClient(
				TestSettings.client("lonely", localAddress(), 1, ClientStartup.REQUIRED, TestSettings.NO_RECONNECT));
		String before = nativeObjects();
		RdmaEndpointException failure = catchThrowableOfType(RdmaEndpointException.class, registry::start);
		assertThat(failure.endpoint()).isEqualTo("lonely");
		assertThat(failure.call()).isEqualTo("rdma_connect");
		assertThat(failure.errno()).isEqualTo(Errno.ECONNREFUSED.value());
		assertThat(failure).hasMessageContaining(localAddress() + ":1")
			.hasMessageContaining((rules().connectingToNobody() == null) ? "reason 8" : "ECONNREFUSED");
		assertThat(registry.isRunning()).isFalse();
		assertThat(nativeObjects()).isEqualTo(before);
	}

	@Test
	void silentHostEndsWithinTheConnectTimeout() {
		Duration limit = Duration.ofSeconds(1);
		RdmaEndpoints registry = registry();
		registry.addClient(TestSettings.client("silent", silentAddress(), 4711, ClientStartup.REQUIRED,
				TestSettings.NO_RECONNECT, limit));
		String before = nativeObjects();
		long begin = System.nanoTime();
		RdmaEndpointException failure = catchThrowableOfType(RdmaEndpointException.class, registry::start);
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
		assertThat(failure.errno()).isEqualTo(Errno.ETIMEDOUT.value());
		assertThat(failure.call()).isIn("rdma_connect", "rdma_resolve_addr");
		assertThat(failure).hasMessageContaining("'silent'").hasMessageContaining(silentAddress() + ":4711");
		if (rules().connectWaitsForThePeersMachine()) {
			// The call goes on until TCP gives up.
			OverdueCall.in(failure).isGivenUpAt("rdma_connect", limit);
			await().atMost(PATIENCE).untilAsserted(() -> assertThat(nativeObjects()).isEqualTo(before));
		}
		assertThat(nativeObjects()).isEqualTo(before);
	}

	@Test
	void unknownHostIsNamed() {
		RdmaEndpoints registry = registry();
		registry.addClient(TestSettings.client("nowhere", "no-such-host.invalid", 4711, ClientStartup.REQUIRED,
				TestSettings.NO_RECONNECT));
		RdmaEndpointException failure = catchThrowableOfType(RdmaEndpointException.class, registry::start);
		assertThat(failure.call()).isEqualTo("getaddrinfo");
		assertThat(failure).hasMessageContaining("'nowhere'").hasMessageContaining("no-such-host.invalid");
	}

	@Test
	void portInUseFailsTheStartAndLeavesNothing() {
		RdmaEndpoints first = registry();
		RdmaServer server = echoServer(first);
		first.start();
		String before = nativeObjects();
		RdmaEndpoints second = registry();
		second.addServer(TestSettings.server("ephemeral", localAddress(), 0));
		second.addServer(TestSettings.server("taken", localAddress(), server.port()));
		RdmaEndpointException failure = catchThrowableOfType(RdmaEndpointException.class, second::start);
		assertThat(failure.endpoint()).isEqualTo("taken");
		assertThat(failure.call()).isEqualTo("rdma_bind_addr");
		assertThat(failure.errno()).isEqualTo(Errno.EADDRINUSE.value());
		assertThat(failure).hasMessageContaining(localAddress() + ":" + server.port());
		assertThat(second.endpoints()).allSatisfy((endpoint) -> {
			assertThat(endpoint.state()).isEqualTo(EndpointState.IDLE);
			DestroyReport report = endpoint.lastDestroyReport();
			assertThat(report).isNotNull();
			assertThat(report.trigger()).isEqualTo(DestroyTrigger.FAILED_START);
		});
		assertThat(nativeObjects()).isEqualTo(before);
	}

	@Test
	void addressThatIsNotLocalFailsTheStart() {
		RdmaEndpoints registry = registry();
		registry.addServer(TestSettings.server("foreign", foreignAddress(), 0));
		RdmaEndpointException failure = catchThrowableOfType(RdmaEndpointException.class, registry::start);
		assertThat(failure.errno()).isEqualTo(Errno.EADDRNOTAVAIL.value());
		assertThat(failure).hasMessageContaining("'foreign'")
			.hasMessageContaining(foreignAddress())
			.hasMessageContaining("rdma_bind_addr")
			.hasMessageContaining("EADDRNOTAVAIL");
	}

	@Test
	void lazyClientConnectsWhenTheConnectionIsAskedFor() {
		RdmaEndpoints registry = registry();
		RdmaServer server = echoServer(registry);
		registry.start();
		RdmaClient client = registry.addClient(TestSettings.client("lazy", localAddress(), server.port(),
				ClientStartup.LAZY, TestSettings.NO_RECONNECT));
		client.start();
		assertThat(client.state()).isEqualTo(EndpointState.IDLE);
		assertThat(client.cmId().state()).isEqualTo(CmIdState.NONE);
		assertThat(client.connection().isOpen()).isTrue();
		assertThat(client.state()).isEqualTo(EndpointState.UP);
	}

	@Test
	void endpointThatWasDestroyedCanBeStartedAgain() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaServer server = echoServer(registry);
		registry.start();
		for (int generation = 1; generation <= 3; generation++) {
			assertThat(server.cmId().generation()).isEqualTo(generation);
			DestroyReport report = server.destroy();
			assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
			assertThat(report.trigger()).isEqualTo(DestroyTrigger.MANUAL);
			assertThat(server.port()).isZero();
			server.start();
		}
		RdmaConnection connection = get(startedClient(registry, server).connect());
		get(connection.send(ByteBuffer.wrap(new byte[] { 1, 2 })));
		assertThat(get(connection.receive())).containsExactly(1, 2);
	}

	@Test
	void destroyFromSixteenThreadsHappensOnce() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaServer server = echoServer(registry);
		registry.start();
		get(startedClient(registry, server).connect());
		await().atMost(PATIENCE).until(() -> server.connections().size() == 1);
		ExecutorService threads = Executors.newFixedThreadPool(16);
		try {
			CountDownLatch go = new CountDownLatch(1);
			List<Future<DestroyReport>> reports = new ArrayList<>();
			for (int i = 0; i < 16; i++) {
				reports.add(threads.submit(() -> {
					go.await();
					return server.destroy();
				}));
			}
			go.countDown();
			int withConnection = 0;
			for (Future<DestroyReport> report : reports) {
				DestroyReport done = report.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
				assertThat(done.result()).as(done.toLine()).isEqualTo(DestroyResult.SUCCESS);
				withConnection = Math.max(withConnection, done.connections());
			}
			assertThat(withConnection).isEqualTo(1);
			assertThat(server.cmId().state()).isEqualTo(CmIdState.NONE);
		}
		finally {
			threads.shutdownNow();
		}
	}

	@Test
	void destroyFromInsideAHandlerDoesNotHang() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaServer server = registry.addServer(TestSettings.server("suicidal", localAddress(), 0));
		CompletableFuture<DestroyReport> destroyed = new CompletableFuture<>();
		server.onMessage((connection, message) -> destroyed.complete(server.destroy()));
		registry.start();
		RdmaConnection connection = get(startedClient(registry, server).connect());
		connection.send(ByteBuffer.wrap(new byte[] { 1 }), (error) -> {
		});
		DestroyReport report = get(destroyed);
		assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
		assertThat(server.state()).isEqualTo(EndpointState.IDLE);
	}

	@Test
	void handlerThatThrowsClosesItsConnectionAlone() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaServer server = registry.addServer(TestSettings.server("picky", localAddress(), 0));
		server.onMessage((connection, message) -> {
			if (message.get() == 0) {
				throw new IllegalStateException("no zeros");
			}
			message.rewind();
			get(connection.send(message));
		});
		registry.start();
		RdmaConnection good = get(startedClient(registry, server).connect());
		RdmaClient other = registry.addClient(TestSettings.client("other", localAddress(), server.port(),
				ClientStartup.BACKGROUND, TestSettings.NO_RECONNECT));
		other.start();
		RdmaConnection bad = get(other.connect());
		bad.send(ByteBuffer.wrap(new byte[] { 0 }), (error) -> {
		});
		await().atMost(PATIENCE).until(() -> other.state() == EndpointState.DOWN);
		get(good.send(ByteBuffer.wrap(new byte[] { 5 })));
		assertThat(get(good.receive())).containsExactly(5);
	}

	@Test
	void sendsThatCloseInterruptsAreAnsweredExactlyOnce() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaServer server = registry.addServer(TestSettings.server("mute", localAddress(), 0));
		registry.start();
		RdmaConnection connection = get(startedClient(registry, server).connect());
		AtomicIntegerArray outcomes = new AtomicIntegerArray(8);
		for (int i = 0; i < 8; i++) {
			int number = i;
			connection.send(ByteBuffer.wrap(new byte[100]), (error) -> outcomes.incrementAndGet(number));
		}
		get(connection.close());
		registry.close();
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(outcomes.toString()).isEqualTo("[1, 1, 1, 1, 1, 1, 1, 1]"));
		assertThatExceptionOfType(ConnectionClosedException.class)
			.isThrownBy(() -> connection.send(ByteBuffer.wrap(new byte[1])));
	}

	@Test
	void clientWhoseHandlerThrowsConnectsAgain() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaServer server = echoServer(registry);
		registry.start();
		RdmaClient client = client(registry, server, TestSettings.RECONNECT);
		client.onMessage((connection, message) -> {
			throw new IllegalStateException("not today");
		});
		client.start();
		get(client.connect()).send(ByteBuffer.wrap(new byte[] { 1 }), (error) -> {
		});
		await().atMost(PATIENCE).until(() -> client.cmId().generation() == 2 && client.state() == EndpointState.UP);
	}

	@Test
	void listenerMayStartTheEndpointOfWhoseDestroyItIsTold() {
		RdmaEndpoints registry = registry();
		RdmaServer server = echoServer(registry);
		registry.addDestroyListener((report) -> {
			if (report.trigger() == DestroyTrigger.MANUAL) {
				assertThat(server.destroy().connections()).isZero();
				server.start();
			}
		});
		registry.start();
		server.destroy();
		assertThat(server.state()).isEqualTo(EndpointState.UP);
		assertThat(server.cmId().generation()).isEqualTo(2);
	}

	@Test
	void futureThatADestroyEndsIsCompletedWithoutTheLockOfTheClient() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaClient client = registry.addClient(TestSettings.client("waiting", silentAddress(), 4711, ClientStartup.LAZY,
				TestSettings.NO_RECONNECT, Duration.ofSeconds(20)));
		registry.start();
		CompletableFuture<Boolean> locked = new CompletableFuture<>();
		CompletableFuture<RdmaConnection> connecting = client.connect();
		CompletableFuture<RdmaConnection> dependent = connecting
			.whenComplete((connection, error) -> locked.complete(Thread.holdsLock(client)));
		client.destroy();
		assertThat(get(locked)).isFalse();
		assertThat(dependent).isCompletedExceptionally();
	}

	@Test
	void manyStartsAndStopsLeaveNoThreadsAndNoObjects() throws Exception {
		String before = nativeObjects();
		Set<Thread> threads = Thread.getAllStackTraces().keySet();
		int rounds = rounds();
		for (int i = 0; i < rounds; i++) {
			RdmaEndpoints registry = registry();
			RdmaServer server = echoServer(registry);
			registry.start();
			RdmaConnection connection = get(startedClient(registry, server).connect());
			get(connection.send(ByteBuffer.wrap(new byte[] { 3 })));
			assertThat(get(connection.receive())).containsExactly(3);
			assertThat(registry.destroyAll(DestroyTrigger.RESTART)).allSatisfy(
					(report) -> assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS));
		}
		assertThat(nativeObjects()).isEqualTo(before);
		await().atMost(PATIENCE)
			.untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
				.filteredOn((thread) -> !threads.contains(thread))
				.extracting(Thread::getName)
				.noneMatch((name) -> name.startsWith("rdma-")));
	}

	int rounds() {
		return 30;
	}

}
