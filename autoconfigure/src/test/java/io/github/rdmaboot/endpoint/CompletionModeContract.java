package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.verbs.CompletionMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Where completions are taken and handlers run, on any provider.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class CompletionModeContract {

	private static final int MESSAGES = 100;

	private static final Duration PATIENCE = Duration.ofSeconds(30);

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
	 * Return what the provider counts of native objects, to compare.
	 * @return the counts
	 */
	abstract String nativeObjects();

	@AfterEach
	void closeRegistries() {
		this.registries.forEach(RdmaEndpoints::close);
	}

	static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
	}

	RdmaEndpoints registry() {
		RdmaEndpoints registry = CheckedEndpoints.create(this::openProvider, ShutdownSettings.defaults(), null);
		this.registries.add(registry);
		return registry;
	}

	RdmaServer echoServer(RdmaEndpoints registry, String name, CompletionSettings completion) {
		RdmaServer server = registry.addServer(TestSettings.server(name, localAddress(), 0, completion));
		server.onMessage((connection, message) -> connection.send(message, (error) -> {
		}));
		return server;
	}

	RdmaClient startedClient(RdmaEndpoints registry, String name, RdmaServer server, CompletionSettings completion) {
		RdmaClient client = registry.addClient(TestSettings.client(name, localAddress(), server.port(), completion));
		client.start();
		return client;
	}

	static void echo(RdmaConnection connection, int messages) throws Exception {
		for (int i = 0; i < messages; i++) {
			CompletableFuture<byte[]> answer = connection.receive();
			connection.send(ByteBuffer.wrap(new byte[] { (byte) i, 7 }));
			assertThat(get(answer)).as("answer %d", i).containsExactly((byte) i, 7);
		}
	}

	// A thread of an earlier test may still be about to end.
	private static void awaitThreads(String part, long count, String description) {
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(threadsNamed(part)).as(description).isEqualTo(count));
	}

	static long threadsNamed(String part) {
		return Thread.getAllStackTraces().keySet().stream().filter((thread) -> thread.getName().contains(part)).count();
	}

	@ParameterizedTest
	@CsvSource({ "EVENT, EXECUTOR", "EVENT, COMPLETION_THREAD", "POLL, EXECUTOR", "POLL, COMPLETION_THREAD",
			"ADAPTIVE, EXECUTOR", "ADAPTIVE, COMPLETION_THREAD" })
	void messagesComeBackAndEverythingIsFreed(CompletionMode mode, HandlerThread handlers) throws Exception {
		String before = nativeObjects();
		CompletionSettings completion = CompletionSettings.of(mode, handlers);
		RdmaEndpoints registry = registry();
		RdmaServer server = echoServer(registry, "server", completion);
		registry.start();
		echo(get(startedClient(registry, "client", server, completion).connect()), MESSAGES);
		List<DestroyReport> reports = registry.destroyAll(DestroyTrigger.SHUTDOWN);
		assertThat(reports).hasSize(2)
			.allSatisfy((report) -> assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS));
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(nativeObjects()).isEqualTo(before));
	}

	@ParameterizedTest
	@EnumSource(CompletionMode.class)
	void burstsOfMessagesArriveInOrder(CompletionMode mode) throws Exception {
		CompletionSettings completion = CompletionSettings.of(mode, HandlerThread.EXECUTOR);
		RdmaEndpoints registry = registry();
		RdmaServer server = echoServer(registry, "server", completion);
		registry.start();
		RdmaClient client = startedClient(registry, "client", server, completion);
		RdmaConnection connection = get(client.connect());
		BlockingQueue<Integer> answers = new LinkedBlockingQueue<>();
		client.onMessage((from, message) -> answers.add(message.getInt()));
		for (int i = 0; i < MESSAGES; i++) {
			connection.send(ByteBuffer.allocate(4).putInt(i).flip(), (error) -> {
			});
		}
		for (int i = 0; i < MESSAGES; i++) {
			assertThat(answers.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as("answer %d", i).isEqualTo(i);
		}
	}

	@Test
	void queuesOfDifferentModesOfOneDeviceCoexist() throws Exception {
		RdmaEndpoints registry = registry();
		Map<CompletionMode, RdmaConnection> connections = new EnumMap<>(CompletionMode.class);
		Map<CompletionMode, RdmaServer> servers = new EnumMap<>(CompletionMode.class);
		for (CompletionMode mode : CompletionMode.values()) {
			servers.put(mode,
					echoServer(registry, "server-" + mode, CompletionSettings.of(mode, HandlerThread.EXECUTOR)));
		}
		registry.start();
		for (CompletionMode mode : CompletionMode.values()) {
			connections.put(mode, get(startedClient(registry, "client-" + mode, servers.get(mode),
					CompletionSettings.of(mode, HandlerThread.EXECUTOR))
				.connect()));
		}
		awaitThreads("-cq-", 3, "threads of three modes");
		for (RdmaConnection connection : connections.values()) {
			echo(connection, 5);
		}
		for (CompletionMode ended : CompletionMode.values()) {
			servers.remove(ended).destroy();
			for (CompletionMode left : servers.keySet()) {
				echo(connections.get(left), 5);
			}
		}
	}

	@Test
	void pollingThreadBeginsWithItsFirstQueueAndEndsWithItsLast() throws Exception {
		CompletionSettings completion = CompletionSettings.of(CompletionMode.POLL, HandlerThread.EXECUTOR);
		RdmaEndpoints registry = registry();
		RdmaServer server = echoServer(registry, "server", completion);
		registry.start();
		awaitThreads("-poll", 0, "without a queue");
		RdmaClient client = startedClient(registry, "client", server, completion);
		for (int i = 0; i < 2; i++) {
			echo(get(client.connect()), 3);
			awaitThreads("-poll", 1, "with two queues");
			get(client.connection().close());
			awaitThreads("-poll", 0, "after the last queue");
		}
	}

	@ParameterizedTest
	@EnumSource(CompletionMode.class)
	void destroyFromSixteenThreadsWhileMessagesFlowHappensOnce(CompletionMode mode) throws Exception {
		CompletionSettings completion = CompletionSettings.of(mode, HandlerThread.COMPLETION_THREAD);
		RdmaEndpoints registry = registry();
		RdmaServer server = echoServer(registry, "server", completion);
		registry.start();
		RdmaClient client = startedClient(registry, "client", server, completion);
		RdmaConnection connection = get(client.connect());
		client.onMessage((from, message) -> from.send(message, (error) -> {
		}));
		connection.send(ByteBuffer.wrap(new byte[] { 1 }));
		await().atMost(PATIENCE).until(() -> server.statistics().messagesReceived() > 20);
		CountDownLatch begin = new CountDownLatch(1);
		List<CompletableFuture<DestroyReport>> reports = new ArrayList<>();
		for (int i = 0; i < 16; i++) {
			RdmaEndpoint endpoint = (i % 2 == 0) ? server : client;
			CompletableFuture<DestroyReport> report = new CompletableFuture<>();
			reports.add(report);
			new Thread(() -> {
				try {
					begin.await();
					report.complete(endpoint.destroy());
				}
				catch (InterruptedException | RuntimeException ex) {
					report.completeExceptionally(ex);
				}
			}, "destroyer-" + i).start();
		}
		begin.countDown();
		for (CompletableFuture<DestroyReport> report : reports) {
			get(report);
		}
		assertThat(List.of(server.lastDestroyReport(), client.lastDestroyReport()))
			.allSatisfy((report) -> assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS));
		assertThat(List.of(server.state(), client.state())).containsOnly(EndpointState.IDLE);
	}

	@ParameterizedTest
	@EnumSource(CompletionMode.class)
	void destroyFromInsideAHandlerOnTheCompletionThreadDoesNotHang(CompletionMode mode) throws Exception {
		// The thread that waits for the destroy is the one that ends with the channel,
		// and
		// closes it without its device.
		CallOrder.tolerate("rdmaDestroyId of the last id of a device before its completion channel");
		String before = nativeObjects();
		CompletionSettings completion = CompletionSettings.of(mode, HandlerThread.COMPLETION_THREAD);
		RdmaEndpoints registry = registry();
		RdmaServer server = registry.addServer(TestSettings.server("server", localAddress(), 0, completion));
		CompletableFuture<DestroyReport> destroyed = new CompletableFuture<>();
		server.onMessage((connection, message) -> destroyed.complete(server.destroy()));
		registry.start();
		RdmaConnection connection = get(startedClient(registry, "client", server, completion).connect());
		connection.send(ByteBuffer.wrap(new byte[] { 1 }), (error) -> {
		});
		DestroyReport report = get(destroyed);
		assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
		assertThat(server.state()).isEqualTo(EndpointState.IDLE);
		registry.close();
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(nativeObjects()).isEqualTo(before));
	}

	@Test
	void handlersAndCallbacksRunOnTheCompletionThreadWhereConfigured() throws Exception {
		assertThat(threadsOf(HandlerThread.COMPLETION_THREAD)).allMatch((name) -> name.contains("-cq-"));
	}

	@Test
	void handlersAndCallbacksRunOnTheExecutorByDefault() throws Exception {
		assertThat(threadsOf(CompletionSettings.defaults().handlers())).allMatch((name) -> name.contains("-handler-"));
	}

	// Return the names of the threads that ran a message handler and a callback.
	private List<String> threadsOf(HandlerThread handlers) throws Exception {
		RdmaEndpoints registry = registry();
		CompletionSettings completion = CompletionSettings.of(CompletionMode.EVENT, handlers);
		RdmaServer server = registry.addServer(TestSettings.server("server", localAddress(), 0, completion));
		CompletableFuture<String> handled = new CompletableFuture<>();
		server.onMessage((connection, message) -> handled.complete(Thread.currentThread().getName()));
		registry.start();
		CompletableFuture<String> sent = new CompletableFuture<>();
		get(startedClient(registry, "client", server, completion).connect()).send(ByteBuffer.wrap(new byte[] { 1 }),
				(error) -> sent.complete((error != null) ? error.toString() : Thread.currentThread().getName()));
		return List.of(get(handled), get(sent));
	}

	@Test
	void futuresOnTheCompletionThreadEndInTheOrderOfTheMessages() throws Exception {
		CompletionSettings completion = CompletionSettings.of(CompletionMode.EVENT, HandlerThread.COMPLETION_THREAD);
		RdmaEndpoints registry = registry();
		RdmaServer server = echoServer(registry, "server", completion);
		registry.start();
		RdmaConnection connection = get(startedClient(registry, "client", server, completion).connect());
		List<CompletableFuture<?>> futures = new ArrayList<>();
		List<Integer> order = new ArrayList<>();
		List<Integer> expected = new ArrayList<>();
		for (int i = 0; i < MESSAGES; i++) {
			futures.add(connection.receive().thenAccept((message) -> {
				synchronized (order) {
					order.add((int) message[0]);
				}
			}));
			expected.add(i);
		}
		for (int i = 0; i < MESSAGES; i++) {
			connection.send(ByteBuffer.wrap(new byte[] { (byte) i }));
		}
		for (CompletableFuture<?> future : futures) {
			get(future);
		}
		assertThat(order).isEqualTo(expected);
	}

}
