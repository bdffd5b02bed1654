package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ObjLongConsumer;

import io.github.rdmaboot.cm.CmIdState;
import io.github.rdmaboot.endpoint.destroy.DestroyGroup;
import io.github.rdmaboot.endpoint.destroy.DestroyLimits;
import io.github.rdmaboot.endpoint.destroy.DestroyListener;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyStepName;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.endpoint.destroy.OrderlyDestroy;
import io.github.rdmaboot.endpoint.destroy.StepOutcome;
import io.github.rdmaboot.endpoint.destroy.StepReport;
import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.FaultingProvider.Fault;
import io.github.rdmaboot.provider.FaultingProvider.Kind;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * What callbacks, listeners and executors of the application may do to endpoints, and
 * what becomes of endpoints when a call that was stuck returns.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EndpointCallbackTests {

	private static final String ADDRESS = "192.0.2.1";

	private static final ShutdownSettings LIMITS = new ShutdownSettings(Duration.ofSeconds(20), Duration.ofSeconds(3),
			Duration.ofSeconds(2), Duration.ofMillis(500));

	/** Limits that show a wait which lasts until one of them. */
	private static final ShutdownSettings PATIENT = new ShutdownSettings(Duration.ofSeconds(20), Duration.ofSeconds(3),
			Duration.ofSeconds(2), Duration.ofSeconds(15));

	/** Limits for peers that do not answer. */
	private static final ShutdownSettings BRIEF = new ShutdownSettings(Duration.ofSeconds(20), Duration.ofMillis(200),
			Duration.ofSeconds(2), Duration.ofMillis(500));

	private static final Duration QUICK = Duration.ofSeconds(8);

	private final LoopbackFabric fabric = new LoopbackFabric();

	private final FaultingProvider faults = FaultingProvider.of(new LoopbackRdmaProvider(this.fabric), new CallOrder());

	private @Nullable RdmaEndpoints started;

	@BeforeEach
	void addHost() throws UnknownHostException {
		this.fabric.addAddress(InetAddress.getByName(ADDRESS));
	}

	@AfterEach
	void close() {
		this.faults.release();
		if (this.started != null) {
			this.started.close();
		}
	}

	private RdmaEndpoints registry(@Nullable Executor handlerExecutor) {
		return registry(handlerExecutor, LIMITS);
	}

	private RdmaEndpoints registry(@Nullable Executor handlerExecutor, ShutdownSettings limits) {
		RdmaEndpoints registry = TestSettings.registry(this.faults::provider, limits, handlerExecutor);
		this.started = registry;
		return registry;
	}

	private RdmaServer startedServer(RdmaEndpoints registry) {
		RdmaServer server = registry.addServer(TestSettings.server("echo", ADDRESS, 0));
		server.onMessage((connection, message) -> connection.send(message, (error) -> {
		}));
		registry.start();
		return server;
	}

	private RdmaConnection connect(RdmaEndpoints registry, RdmaServer server, ReconnectSettings reconnect)
			throws Exception {
		RdmaClient client = registry
			.addClient(TestSettings.client("client", ADDRESS, server.port(), ClientStartup.BACKGROUND, reconnect));
		client.start();
		RdmaConnection connection = get(client.connect());
		await().until(() -> server.connections().size() == 1);
		return connection;
	}

	private static Duration durationOf(Runnable task) {
		long begin = System.nanoTime();
		task.run();
		return Duration.ofNanos(System.nanoTime() - begin);
	}

	private static DestroyListener whenStarted(ObjLongConsumer<String> begun) {
		return new DestroyListener() {

			@Override
			public void destroyStarted(String endpoint, long connection, DestroyTrigger trigger) {
				begun.accept(endpoint, connection);
			}

			@Override
			public void destroyEnded(DestroyReport report) {
			}

		};
	}

	private static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(10, TimeUnit.SECONDS);
	}

	@Test
	void listenerMayDestroyTheEndpointOfTheConnectionThatItIsToldOf() throws Exception {
		RdmaEndpoints registry = registry(null);
		RdmaServer server = startedServer(registry);
		CompletableFuture<DestroyReport> destroyed = new CompletableFuture<>();
		registry.addDestroyListener((report) -> {
			if (report.connection() != 0 && report.endpoint().equals("echo")) {
				destroyed.complete(server.destroy());
			}
		});
		connect(registry, server, TestSettings.NO_RECONNECT);
		server.connections().forEach(RdmaConnection::close);
		assertThat(get(destroyed).result()).isEqualTo(DestroyResult.SUCCESS);
	}

	@Test
	void connectListenerOfAServerMayCloseTheRegistry() throws Exception {
		RdmaEndpoints registry = registry(null);
		CompletableFuture<String> closed = new CompletableFuture<>();
		registry.addConnectListener((endpoint, took, error) -> {
			if (endpoint.equals("echo")) {
				registry.close();
				closed.complete(this.fabric.resources().toString());
			}
		});
		RdmaServer server = startedServer(registry);
		registry
			.addClient(TestSettings.client("client", ADDRESS, server.port(), ClientStartup.BACKGROUND,
					TestSettings.NO_RECONNECT))
			.start();
		assertThat(get(closed)).isEqualTo(new LoopbackFabric().resources().toString());
	}

	@Test
	void requestThatIsBeingAcceptedWhenTheServerIsDestroyedIsRejectedWithTheReason() throws Exception {
		RdmaEndpoints registry = registry(null);
		RdmaServer server = startedServer(registry);
		// The first queue pair is that of the client.
		this.faults.inject(new Fault("rdmaCreateQp", 2, Kind.BLOCK, 0));
		CompletableFuture<RdmaConnection> connecting = connecting(registry, server);
		await().until(this.faults::isInjected);
		CompletableFuture<DestroyReport> destroyed = CompletableFuture.supplyAsync(server::destroy);
		await().until(() -> server.state() == EndpointState.DESTROYING);
		this.faults.release();
		assertThat(get(destroyed).result()).isEqualTo(DestroyResult.SUCCESS);
		assertThat(rejection(connecting).isGoingAway()).isTrue();
	}

	@Test
	void attemptWhoseConnectionIsGoneBeforeItTellsItsOutcomeIsNotMadeAgain() throws Exception {
		RdmaEndpoints registry = registry(null);
		CompletableFuture<DestroyReport> destroyed = new CompletableFuture<>();
		registry.addDestroyListener((report) -> {
			if (report.connection() != 0 && report.endpoint().equals("client")) {
				destroyed.complete(report);
			}
		});
		registry.addConnectListener((endpoint, took, error) -> {
			if (endpoint.equals("client")) {
				destroyed.join();
			}
		});
		RdmaServer server = startedServer(registry);
		registry.quiesce();
		RdmaClient client = registry.addClient(
				TestSettings.client("client", ADDRESS, server.port(), ClientStartup.LAZY, TestSettings.NO_RECONNECT));
		client.start();
		assertThat(rejection(client.connect()).isGoingAway()).isTrue();
		assertThat(client.statistics().events(CmEventType.REJECTED, true)).as("rejections").isEqualTo(1);
	}

	@Test
	void connectListenerOfAClientMayWaitForItsNextConnection() throws Exception {
		RdmaEndpoints registry = registry(null);
		RdmaServer server = startedServer(registry);
		RdmaClient client = registry.addClient(
				TestSettings.client("client", ADDRESS, server.port(), ClientStartup.LAZY, TestSettings.RECONNECT));
		CompletableFuture<Long> next = new CompletableFuture<>();
		registry.addConnectListener((endpoint, took, error) -> {
			if (endpoint.equals("client") && client.statistics().reconnects() == 0) {
				await().until(() -> server.connections().size() == 1);
				server.connections().forEach(RdmaConnection::close);
				await().until(() -> client.statistics().reconnects() == 1);
				next.complete(client.connection().number());
			}
		});
		client.start();
		client.connect();
		assertThat(get(next)).isEqualTo(2);
	}

	@Test
	void requestThatCannotBeAcceptedIsRejectedWithAnotherReason() throws Exception {
		RdmaEndpoints registry = registry(null);
		RdmaServer server = startedServer(registry);
		this.faults.inject(new Fault("rdmaCreateQp", 2, Kind.FAIL, Errno.ENOMEM.value()));
		ConnectionRejectedException rejected = rejection(connecting(registry, server));
		assertThat(rejected.isGoingAway()).isFalse();
		assertThat(rejected.peerReason()).isEqualTo("not accepted: the server could not set the connection up");
		assertThat(server.state()).isEqualTo(EndpointState.UP);
	}

	private static CompletableFuture<RdmaConnection> connecting(RdmaEndpoints registry, RdmaServer server) {
		RdmaClient client = registry.addClient(
				TestSettings.client("client", ADDRESS, server.port(), ClientStartup.LAZY, TestSettings.NO_RECONNECT));
		client.start();
		return client.connect();
	}

	private static ConnectionRejectedException rejection(CompletableFuture<RdmaConnection> connecting) {
		AtomicReference<ConnectionRejectedException> rejected = new AtomicReference<>();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(connecting))
			.satisfies((ex) -> assertThat(ex.getCause()).isInstanceOfSatisfying(ConnectionRejectedException.class,
					rejected::set));
		return rejected.get();
	}

	@Test
	void connectListenerThatClosesTheRegistryDoesNotWaitForItsOwnThread() throws Exception {
		RdmaEndpoints registry = registry(null, PATIENT);
		CompletableFuture<Duration> closed = new CompletableFuture<>();
		registry.addConnectListener((endpoint, took, error) -> {
			if (endpoint.equals("echo")) {
				closed.complete(durationOf(registry::close));
			}
		});
		RdmaServer server = startedServer(registry);
		registry
			.addClient(TestSettings.client("client", ADDRESS, server.port(), ClientStartup.BACKGROUND,
					TestSettings.NO_RECONNECT))
			.start();
		assertThat(closed.get(30, TimeUnit.SECONDS)).isLessThan(QUICK);
	}

	@Test
	void destroyListenerThatClosesTheRegistryDoesNotWaitForItsOwnThread() throws Exception {
		RdmaEndpoints registry = registry(null, PATIENT);
		CompletableFuture<Duration> closed = new CompletableFuture<>();
		registry.addDestroyListener((report) -> {
			if (report.connection() != 0 && report.endpoint().equals("echo")) {
				closed.complete(durationOf(registry::close));
			}
		});
		RdmaServer server = startedServer(registry);
		connect(registry, server, TestSettings.NO_RECONNECT);
		server.connections().forEach(RdmaConnection::close);
		assertThat(closed.get(30, TimeUnit.SECONDS)).isLessThan(QUICK);
	}

	@Test
	void listenerThatDestroysWhatItIsToldIsBeingDestroyedIsToldSoAtOnce() throws Exception {
		RdmaEndpoints registry = registry(null, PATIENT);
		RdmaServer server = startedServer(registry);
		CompletableFuture<DestroyReport> inner = new CompletableFuture<>();
		CompletableFuture<List<DestroyReport>> stop = new CompletableFuture<>();
		registry.addDestroyListener(whenStarted((endpoint, connection) -> {
			inner.complete(server.destroy());
			stop.complete(registry.destroyAll(DestroyTrigger.SHUTDOWN));
		}));
		AtomicReference<List<DestroyReport>> outer = new AtomicReference<>(List.of());
		assertThat(durationOf(() -> outer.set(registry.destroyAll(DestroyTrigger.MANUAL)))).isLessThan(QUICK);
		assertThat(get(inner).result()).isEqualTo(DestroyResult.FAILURE);
		assertThat(get(inner).toLine()).contains("abandoned", "from inside this very destroy");
		assertThat(get(stop)).isEmpty();
		assertThat(outer.get()).singleElement()
			.satisfies((report) -> assertThat(report.result()).isEqualTo(DestroyResult.SUCCESS));
		assertThat(server.state()).isEqualTo(EndpointState.IDLE);
	}

	@Test
	void listenerMayDestroyTheEndpointOfAConnectionWhoseDestroyBegins() throws Exception {
		RdmaEndpoints registry = registry(null, PATIENT);
		RdmaServer server = startedServer(registry);
		connect(registry, server, TestSettings.NO_RECONNECT);
		CompletableFuture<Duration> inner = new CompletableFuture<>();
		registry.addDestroyListener(whenStarted((endpoint, connection) -> {
			if (endpoint.equals("echo") && connection != 0) {
				inner.complete(durationOf(server::destroy));
			}
		}));
		await().until(() -> !server.connections().isEmpty());
		DestroyReport report = get(server.connections().iterator().next().close());
		assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
		assertThat(get(inner)).isLessThan(QUICK);
		assertThat(server.cmId().state()).isEqualTo(CmIdState.NONE);
	}

	@Test
	void restartIsRefusedWhileACallIsStuckAndDestroysNothingAgain() {
		RdmaEndpoints registry = registry(null);
		RdmaServer server = startedServer(registry);
		this.faults.inject(new Fault("rdmaDestroyId", 1, Kind.BLOCK, 0));
		registry.destroyAll(DestroyTrigger.RESTART);
		DestroyReport stuck = server.lastDestroyReport();
		assertThat(server.stuckCalls()).singleElement().satisfies((call) -> {
			assertThat(call.call()).isEqualTo("rdma_destroy_id");
			assertThat(call.subject()).isEqualTo("echo");
			assertThat(call.stuckFor()).isGreaterThanOrEqualTo(LIMITS.destroyTimeout());
		});
		assertThatIllegalStateException().isThrownBy(registry::start)
			.withMessageContaining("'echo'")
			.withMessageContaining("rdma_destroy_id of echo for ");
		assertThat(server.lastDestroyReport()).isSameAs(stuck);
		assertThat(server.destroy().toLine()).contains("result=failure", "still stuck", "rdma_destroy_id of echo");
		assertThat(this.faults.counts().get("rdmaDestroyId")).hasValue(1);
		assertThat(this.faults.counts().get("rdmaCreateEventChannel")).hasValue(1);
		this.faults.release();
		await().until(() -> server.state() == EndpointState.IDLE);
		assertThat(server.stuckCalls()).isEmpty();
		registry.start();
		assertThat(server.state()).isEqualTo(EndpointState.UP);
	}

	@Test
	void connectionWhoseDestroyBreaksOffIsToldAllTheSame() throws Exception {
		RdmaEndpoints registry = registry(null);
		RdmaServer server = startedServer(registry);
		RdmaConnection connection = connect(registry, server, TestSettings.NO_RECONNECT);
		DestroyLimits limits = new DestroyLimits(LIMITS.timeout(), LIMITS.disconnectGrace(), LIMITS.drainTimeout(),
				LIMITS.destroyTimeout());
		List<DestroyReport> told = new CopyOnWriteArrayList<>();
		OrderlyDestroy broken = new OrderlyDestroy(limits, (report) -> {
		}, (task) -> {
			throw new InternalError("no threads today");
		});
		EndpointListeners listeners = new EndpointListeners((name, step) -> {
		});
		listeners.add((DestroyListener) told::add);
		ConnectionReaper reaper = new ConnectionReaper(Runnable::run, (listener) -> broken,
				() -> listeners.begin(LIMITS.timeout()), () -> {
				});
		reaper.destroy(connection, DestroyTrigger.DISCONNECT);
		assertThat(connection.end().latch().getCount()).isZero();
		assertThat(told).singleElement()
			.satisfies((report) -> assertThat(report.toLine()).contains("endpoint=client#1", "result=failure",
					"broken off by an error"));
		// What the broken destroy left.
		new OrderlyDestroy(limits, (report) -> {
		}).run(List.of(new DestroyGroup("client", 1, List.of(connection.teardown().member()))),
				DestroyTrigger.DISCONNECT);
	}

	@Test
	void connectionThatIsLostWhileTheRegistryBeginsToStopIsDestroyed() throws Exception {
		RdmaEndpoints registry = registry(null);
		RdmaServer server = startedServer(registry);
		RdmaConnection connection = connect(registry, server, TestSettings.RECONNECT);
		RdmaClient client = (RdmaClient) registry.find("client");
		assertThat(client).isNotNull();
		EndpointRuntime runtime = client.runtime();
		assertThat(runtime).isNotNull();
		CompletableFuture<Void> stop;
		// The server, whose turn comes first, cannot begin its destroy.
		synchronized (server) {
			stop = CompletableFuture.runAsync(() -> registry.destroyAll(DestroyTrigger.SHUTDOWN));
			await().until(runtime::isClosing);
			connection.failed(new RdmaException("ibv_post_recv", Errno.EIO.value()));
			assertThat(get(connection.close()).trigger()).isEqualTo(DestroyTrigger.DISCONNECT);
		}
		get(stop);
	}

	@Test
	void serverIsUpAgainWhenTheStuckDestroyOfAConnectionHasReturned() throws Exception {
		RdmaEndpoints registry = registry(null, BRIEF);
		RdmaServer server = startedServer(registry);
		connect(registry, server, TestSettings.NO_RECONNECT);
		this.faults.inject(new Fault("ibvDestroyCq", 1, Kind.BLOCK, 0));
		// Only the connection of the server is destroyed before the call blocks.
		this.fabric.faults().partition(InetAddress.getByName(ADDRESS), InetAddress.getByName(ADDRESS));
		server.connections().forEach(RdmaConnection::close);
		await().until(() -> server.state() == EndpointState.QUARANTINED);
		this.faults.release();
		await().until(() -> server.state() == EndpointState.UP);
	}

	@Test
	void clientConnectsAgainWhenTheStuckCallReturnedBeforeTheDestroyEnded() throws Exception {
		RdmaEndpoints registry = registry(null);
		RdmaServer server = startedServer(registry);
		RdmaConnection connection = connect(registry, server, TestSettings.RECONNECT);
		RdmaClient client = (RdmaClient) registry.find("client");
		assertThat(client).isNotNull();
		assertThat(connection.end().claim()).isTrue();
		DestroyLimits limits = new DestroyLimits(LIMITS.timeout(), LIMITS.disconnectGrace(), LIMITS.drainTimeout(),
				LIMITS.destroyTimeout());
		new OrderlyDestroy(limits, (report) -> {
		}).run(List.of(new DestroyGroup("client", 1, List.of(connection.teardown().member()))),
				DestroyTrigger.DISCONNECT);
		client.returnedLate(new StepReport(DestroyStepName.DESTROY_QP, "client#1", Instant.now(), Duration.ZERO,
				StepOutcome.SUCCESS, "", 0, ""));
		connection.destroyed(new DestroyReport("client", 1, DestroyTrigger.DISCONNECT, Instant.now(), Duration.ZERO,
				DestroyResult.TIMEOUT, 1, List.of(new StepReport(DestroyStepName.DESTROY_QP, "client#1", Instant.now(),
						Duration.ZERO, StepOutcome.TIMEOUT, "", 0, ""))));
		await().until(() -> client.cmId().generation() == 2 && client.state() == EndpointState.UP);
	}

	@Test
	void startOfAnEndpointWhoseDestroyIsStuckIsRefusedAndTouchesNothing() {
		RdmaEndpoints registry = registry(null);
		RdmaServer server = startedServer(registry);
		this.faults.inject(new Fault("rdmaDestroyId", 1, Kind.BLOCK, 0));
		DestroyReport stuck = server.destroy();
		assertThat(stuck.result()).isEqualTo(DestroyResult.TIMEOUT);
		assertThatIllegalStateException().isThrownBy(server::start).withMessageContaining("QUARANTINED");
		assertThat(server.lastDestroyReport()).isSameAs(stuck);
		this.faults.release();
		await().until(() -> server.state() == EndpointState.IDLE);
		server.start();
		assertThat(server.state()).isEqualTo(EndpointState.UP);
	}

	@Test
	void receiveThatWasCancelledTakesNoMessage() throws Exception {
		RdmaEndpoints registry = registry(null);
		RdmaConnection connection = connect(registry, startedServer(registry), TestSettings.NO_RECONNECT);
		connection.receive().cancel(true);
		get(connection.send(ByteBuffer.wrap(new byte[] { 7 })));
		assertThat(get(connection.receive())).containsExactly(7);
	}

	@Test
	void receiveThatWaitsWhenTheConnectionEndsGetsTheMessageThatArrived() throws Exception {
		BlockingQueue<Runnable> held = new LinkedBlockingQueue<>();
		AtomicBoolean holding = new AtomicBoolean();
		RdmaEndpoints registry = registry((task) -> {
			if (!holding.get()) {
				new Thread(task).start();
			}
			else {
				held.add(task);
			}
		});
		RdmaServer server = startedServer(registry);
		RdmaConnection connection = connect(registry, server, TestSettings.NO_RECONNECT);
		get(connection.send(ByteBuffer.wrap(new byte[] { 7 })));
		await().until(() -> server.statistics().messagesSent() == 1);
		holding.set(true);
		CompletableFuture<byte[]> message = connection.receive();
		connection.close();
		// The dispatch of the message, its outcome and that of the close.
		await().until(() -> held.size() >= 3);
		holding.set(false);
		held.forEach(Runnable::run);
		assertThat(get(message)).containsExactly(7);
	}

	@Test
	void whatDependsOnAReceiveMayWaitForTheNextMessage() throws Exception {
		RdmaEndpoints registry = registry(null);
		RdmaConnection connection = connect(registry, startedServer(registry), TestSettings.NO_RECONNECT);
		CompletableFuture<byte[]> second = connection.receive().thenApply((first) -> connection.receive().join());
		get(connection.send(ByteBuffer.wrap(new byte[] { 1 })));
		get(connection.send(ByteBuffer.wrap(new byte[] { 2 })));
		assertThat(get(second)).containsExactly(2);
	}

	@Test
	void executorThatFailsLosesNoOutcomeOfASend() throws Exception {
		AtomicBoolean failing = new AtomicBoolean();
		ExecutorService threads = Executors.newCachedThreadPool();
		try {
			RdmaEndpoints registry = registry((task) -> {
				if (failing.get()) {
					throw new IllegalStateException("out of order");
				}
				threads.execute(task);
			});
			RdmaConnection connection = connect(registry, startedServer(registry), TestSettings.NO_RECONNECT);
			failing.set(true);
			CountDownLatch told = new CountDownLatch(1);
			connection.send(ByteBuffer.wrap(new byte[] { 1 }), (error) -> told.countDown());
			assertThat(told.await(10, TimeUnit.SECONDS)).isTrue();
		}
		finally {
			threads.shutdownNow();
		}
	}

}
