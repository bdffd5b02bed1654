package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyStepName;
import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.FaultingProvider.Fault;
import io.github.rdmaboot.provider.FaultingProvider.Kind;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import io.github.rdmaboot.verbs.CompletionMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The destroy of a receive queue that connections share, when calls do not return and
 * when a handler outlives the connection it was called for.
 */
@Timeout(value = 40, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SharedReceiveQueueDestroyTests {

	private static final String ADDRESS = "192.0.2.1";

	private static final int SHARED = 8;

	private static final int CONNECTIONS = 50;

	private static final MemorySettings MEMORY = new MemorySettings(1024, 2);

	private static final ShutdownSettings LIMITS = new ShutdownSettings(Duration.ofSeconds(10), Duration.ofSeconds(1),
			Duration.ofMillis(300), Duration.ofMillis(500));

	private final CallOrder order = new CallOrder();

	private final FaultingProvider faults = FaultingProvider.of(new LoopbackRdmaProvider(LoopbackFabrics.with(ADDRESS)),
			this.order);

	private final CountDownLatch handling = new CountDownLatch(1);

	private final CountDownLatch mayReturn = new CountDownLatch(1);

	private RdmaEndpoints registry;

	private RdmaServer server;

	private RdmaConnection client;

	@BeforeEach
	void connect() throws Exception {
		this.registry = TestSettings.registry(this.faults::provider, LIMITS, null);
		this.server = addServer("server", HandlerThread.EXECUTOR);
		this.registry.start();
		this.client = connect("client", this.server);
		await().until(() -> this.server.connections().size() == 1);
	}

	private RdmaServer addServer(String name, HandlerThread handlers) {
		return this.registry
			.addServer(new ServerSettings(name, ADDRESS, 0, 0, TestSettings.QUEUE_PAIR, TestSettings.CONNECTION, MEMORY,
					CompletionSettings.of(CompletionMode.EVENT, handlers), ReconnectSettings.defaults(), SHARED));
	}

	private RdmaConnection connect(String name, RdmaServer server) throws Exception {
		return connect(this.registry, name, server);
	}

	private static RdmaConnection connect(RdmaEndpoints registry, String name, RdmaServer server) throws Exception {
		RdmaClient client = registry.addClient(new ClientSettings(name, ADDRESS, server.port(), null,
				Duration.ofSeconds(5), Duration.ofSeconds(5), ClientStartup.BACKGROUND, TestSettings.NO_RECONNECT,
				TestSettings.QUEUE_PAIR, TestSettings.CONNECTION, MEMORY, CompletionSettings.defaults()));
		client.start();
		return client.connect().get(10, TimeUnit.SECONDS);
	}

	@AfterEach
	void close() {
		this.mayReturn.countDown();
		this.faults.release();
		this.registry.close();
	}

	@Test
	void callThatIsStuckHoldsUpNeitherTheDestroyNorThoseWhoReceive() {
		await().until(() -> !this.server.connections().isEmpty());
		CompletableFuture<byte[]> receive = this.server.connections().iterator().next().receive();
		this.faults.inject(new Fault("ibvDestroySrq", 1, Kind.BLOCK, 0));
		CompletableFuture<DestroyReport> destroyed = CompletableFuture.supplyAsync(this.server::destroy);
		assertThat(destroyed).succeedsWithin(Duration.ofSeconds(10))
			.satisfies((report) -> assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.TIMEOUT));
		assertThat(receive).failsWithin(Duration.ofSeconds(10))
			.withThrowableThat()
			.withCauseInstanceOf(ConnectionClosedException.class);
		this.faults.release();
		await().until(() -> this.server.statistics().registeredBytes() == 0);
	}

	@Test
	void queueIsDestroyedBeforeItsDeviceAlsoWhileAHandlerStillReads() throws Exception {
		CompletableFuture<byte[]> read = new CompletableFuture<>();
		this.server.onMessage((connection, message) -> {
			this.handling.countDown();
			this.mayReturn.await();
			byte[] bytes = new byte[message.remaining()];
			message.get(bytes);
			read.complete(bytes);
		});
		this.client.send(ByteBuffer.wrap(new byte[] { 1, 2, 3 }));
		assertThat(this.handling.await(10, TimeUnit.SECONDS)).isTrue();
		DestroyReport report = this.server.destroy();
		assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
		assertThat(this.faults.counts()).as("calls while the handler reads").containsKey("ibvDestroySrq");
		assertThat(this.server.statistics().registeredBytes()).as("bytes that the handler may read")
			.isEqualTo(SHARED * 1024);
		this.mayReturn.countDown();
		assertThat(read.get(10, TimeUnit.SECONDS)).containsExactly(1, 2, 3);
		await().until(() -> this.server.statistics().registeredBytes() == 0);
		this.registry.close();
		assertThat(this.order.violations()).isEmpty();
	}

	@Test
	void buffersThatAThreadFindsAfterAHandlerHeldItUpAreForOthers() throws Exception {
		RdmaServer inline = addServer("inline", HandlerThread.COMPLETION_THREAD);
		inline.onMessage((connection, message) -> {
			this.handling.countDown();
			this.mayReturn.await();
		});
		inline.start();
		connect("lasting", inline);
		RdmaConnection ending = connect("ending", inline);
		await().until(() -> inline.connections().size() == 2);
		int posted = count("ibvPostSrqRecv");
		ending.send(ByteBuffer.allocate(1));
		assertThat(this.handling.await(10, TimeUnit.SECONDS)).isTrue();
		ending.send(ByteBuffer.allocate(1));
		int destroyed = count("rdmaDestroyQp");
		ending.close();
		await().pollInterval(Duration.ofMillis(5)).until(() -> count("rdmaDestroyQp") == destroyed + 2);
		this.mayReturn.countDown();
		await()
			.untilAsserted(() -> assertThat(count("ibvPostSrqRecv") - posted).as("buffers posted again").isEqualTo(2));
	}

	@Test
	void handlerThatHoldsTheQueueIsWaitedForOnceHoweverManyConnectionsEnd() throws Exception {
		RdmaServer inline = addServer("inline", HandlerThread.COMPLETION_THREAD);
		inline.onMessage((connection, message) -> {
			this.handling.countDown();
			this.mayReturn.await();
		});
		inline.start();
		RdmaConnection first = connect("first", inline);
		for (int i = 1; i < CONNECTIONS; i++) {
			connect("client-" + i, inline);
		}
		await().until(() -> inline.connections().size() == CONNECTIONS);
		first.send(ByteBuffer.allocate(1));
		assertThat(this.handling.await(10, TimeUnit.SECONDS)).isTrue();

		DestroyReport report = inline.destroy();

		assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
		assertThat(report.connections()).isEqualTo(CONNECTIONS);
		assertThat(report.durations().get(DestroyStepName.DESTROY_QP)).as("the step of all connections together")
			.isLessThan(Duration.ofSeconds(2));
	}

	@Test
	void queuePairThatCannotBeDestroyedLeavesTheQueueAllTheSame() throws Exception {
		LoopbackFabric fabric = LoopbackFabrics.with(ADDRESS);
		CallOrder order = new CallOrder();
		FaultingProvider faults = FaultingProvider.of(new LoopbackRdmaProvider(fabric), order);
		try (RdmaEndpoints servers = TestSettings.registry(faults::provider, LIMITS, null);
				RdmaEndpoints clients = TestSettings.registry(() -> new LoopbackRdmaProvider(fabric), LIMITS, null)) {
			RdmaServer failing = servers.addServer(
					new ServerSettings("failing", ADDRESS, 0, 0, TestSettings.QUEUE_PAIR, TestSettings.CONNECTION,
							MEMORY, CompletionSettings.defaults(), ReconnectSettings.defaults(), SHARED));
			servers.start();
			clients.start();
			RdmaClient peer = clients.addClient(TestSettings.client("peer", ADDRESS, failing.port(),
					ClientStartup.BACKGROUND, TestSettings.NO_RECONNECT));
			peer.start();
			peer.connect().get(10, TimeUnit.SECONDS);
			await().until(() -> failing.connections().size() == 1);
			faults.inject(new Fault("rdmaDestroyQp", 1, Kind.FAIL_AFTERWARDS, Errno.EIO.value()));
			DestroyReport report = failing.destroy();
			assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.FAILURE);
			assertThat(faults.counts()).containsKey("ibvDestroySrq");
			assertThat(failing.statistics().registeredBytes()).as("bytes that the queue pair may still read")
				.isBetween(2 * 1024L, SHARED * 1024L - 1);
		}
		assertThat(order.left()).isEmpty();
		assertThat(order.violations()).isEmpty();
	}

	@Test
	void completionsThatTheDeviceDropsWithTheQueuePairAreReadBefore() throws Exception {
		// No other completion queue has as many entries.
		int shared = 2 * SHARED;
		LoopbackFabric fabric = LoopbackFabrics.with(ADDRESS);
		DroppingDevice device = new DroppingDevice(new LoopbackRdmaProvider(fabric), shared);
		try (RdmaEndpoints servers = TestSettings.registry(device::provider, LIMITS, null);
				RdmaEndpoints clients = TestSettings.registry(() -> new LoopbackRdmaProvider(fabric), LIMITS, null)) {
			RdmaServer sharing = servers.addServer(
					new ServerSettings("sharing", ADDRESS, 0, 0, TestSettings.QUEUE_PAIR, TestSettings.CONNECTION,
							MEMORY, CompletionSettings.defaults(), ReconnectSettings.defaults(), shared));
			servers.start();
			clients.start();
			RdmaConnection ending = connect(clients, "ending", sharing);
			await().until(() -> sharing.connections().size() == 1);
			RdmaConnection peer = sharing.connections().iterator().next();
			connect(clients, "lasting", sharing);
			await().until(() -> sharing.connections().size() == 2);
			int posted = device.receives();

			device.beSilent(true);
			for (int i = 0; i < SHARED; i++) {
				ending.send(ByteBuffer.allocate(1)).get(10, TimeUnit.SECONDS);
			}
			// They come when the drain has looked for them.
			device.hideFrom(1);
			DestroyReport report = peer.close().get(10, TimeUnit.SECONDS);
			device.beSilent(false);

			assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
			await().untilAsserted(
					() -> assertThat(device.receives() - posted).as("buffers posted again").isEqualTo(SHARED));
		}
	}

	private int count(String method) {
		return this.faults.counts().getOrDefault(method, new AtomicInteger()).get();
	}

}
