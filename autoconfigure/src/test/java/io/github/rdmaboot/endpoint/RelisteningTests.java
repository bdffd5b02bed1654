package io.github.rdmaboot.endpoint;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.github.rdmaboot.cm.CmIdState;
import io.github.rdmaboot.cm.OwnedCmId;
import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.endpoint.destroy.DestroyLimits;
import io.github.rdmaboot.endpoint.destroy.DestroyListener;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyStepName;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.endpoint.destroy.StepOutcome;
import io.github.rdmaboot.endpoint.destroy.StepReport;
import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.FaultingProvider.Fault;
import io.github.rdmaboot.provider.FaultingProvider.Kind;
import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link Relistening}.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RelisteningTests {

	private static final String ADDRESS = "192.0.2.1";

	private static final ShutdownSettings LIMITS = new ShutdownSettings(Duration.ofSeconds(20), Duration.ofSeconds(2),
			Duration.ofSeconds(2), Duration.ofSeconds(10));

	private final LoopbackFabric fabric = new LoopbackFabric();

	private final FaultingProvider faults = FaultingProvider.of(new LoopbackRdmaProvider(this.fabric), new CallOrder());

	private final RdmaEndpoints registry = TestSettings.registry(this.faults::provider, LIMITS, null);

	private final StartedRuntime runtime = StartedRuntime.open(this.faults.provider(), MemoryPoolSettings.defaults(),
			null, LIMITS.destroyTimeout(), new DestroyLimits(LIMITS.timeout(), LIMITS.disconnectGrace(),
					LIMITS.drainTimeout(), LIMITS.destroyTimeout()),
			new EndpointListeners((name, step) -> {
			}));

	private final AtomicInteger attempts = new AtomicInteger();

	@BeforeEach
	void addHost() throws Exception {
		this.fabric.addAddress(InetAddress.getByName(ADDRESS));
	}

	@AfterEach
	void close() {
		this.registry.close();
		this.runtime.close(Deadline.after(Duration.ofSeconds(10)));
	}

	// The runtime, with a count of the attempts to come up again that have ended.
	private EndpointRuntime counting() {
		return with("connectExecutor",
				(arguments) -> (Executor) (task) -> this.runtime.connectExecutor().execute(() -> {
					try {
						task.run();
					}
					finally {
						this.attempts.incrementAndGet();
					}
				}));
	}

	private RdmaServer serverWhoseDeviceWasRemoved() {
		RdmaServer server = this.registry.addServer(TestSettings.server("echo", ADDRESS, 0));
		server.start(this.runtime);
		this.registry.destroy(server, DestroyTrigger.DEVICE_REMOVAL);
		server.deviceRemoved(counting());
		return server;
	}

	@Test
	void aServerThatWasQuarantinedWhileItWaitedComesUpWhenTheCallHasReturned() {
		RdmaServer server = serverWhoseDeviceWasRemoved();
		StepReport stuck = new StepReport(DestroyStepName.DESTROY_ID, "echo#1", Instant.now(), Duration.ofSeconds(1),
				StepOutcome.TIMEOUT, "rdma_destroy_id", 0, "still inside");
		server.remember(new DestroyReport("echo", 1, DestroyTrigger.DISCONNECT, Instant.now(), Duration.ofSeconds(1),
				DestroyResult.TIMEOUT, 1, List.of(stuck)));
		await().until(() -> this.attempts.get() > 0);
		assertThat(server.state()).isEqualTo(EndpointState.QUARANTINED);
		server.returnedLate(stuck);
		await().until(() -> server.state() == EndpointState.UP);
		server.destroy();
	}

	@Test
	void aServerListensAgainThoughTheLookAtTheDevicesEndedWithAnError() {
		this.faults.inject(new Fault("rdmaGetDevices", 1, Kind.ERROR, 0));
		RdmaServer server = this.registry.addServer(TestSettings.server("echo", ADDRESS, 0));
		server.start(this.runtime);
		this.fabric.faults().removeDevice();
		await().until(this.faults::isInjected);
		this.fabric.faults().insertDevice();
		await().until(() -> server.state() == EndpointState.UP);
		server.destroy();
	}

	@Test
	void aRequestThatNobodyWantsIsDestroyedThoughRejectingItEndedWithAnError() throws Exception {
		CompletableFuture<OwnedCmId> request = new CompletableFuture<>();
		OwnedCmId listener = new OwnedCmId("listener");
		listener.create(this.runtime.channel(), PortSpace.TCP, (id, event) -> {
			if (event.child() != null) {
				request.complete(event.child());
			}
		});
		listener.bind(new InetSocketAddress(ADDRESS, 4711));
		listener.listen(1);
		RdmaClient client = this.registry.addClient(
				TestSettings.client("client", ADDRESS, 4711, ClientStartup.BACKGROUND, TestSettings.NO_RECONNECT));
		client.start(this.runtime);
		OwnedCmId child = request.get(10, TimeUnit.SECONDS);
		this.faults.inject(new Fault("rdmaReject", 1, Kind.ERROR, 0));
		this.runtime.destroyOrphan(child);
		await().until(() -> child.state() == CmIdState.NONE);
		client.destroy();
		listener.destroy();
	}

	@Test
	void thereIsOneAttemptPendingHoweverOftenTheDeviceWasRemoved() {
		List<Future<?>> pending = new ArrayList<>();
		RdmaServer server = this.registry.addServer(TestSettings.server("echo", ADDRESS, 0));
		server.start(this.runtime);
		this.registry.destroy(server, DestroyTrigger.DEVICE_REMOVAL);
		EndpointRuntime runtime = neverAttempting(pending);
		server.deviceRemoved(runtime);
		server.deviceRemoved(runtime);
		assertThat(pending).hasSize(2);
		assertThat(pending.get(0).isCancelled()).isTrue();
		assertThat(pending.get(1).isCancelled()).isFalse();
		server.destroy();
		assertThat(pending.get(1).isCancelled()).isTrue();
	}

	// The runtime, whose timer keeps what it is given, and does it in an hour.
	private EndpointRuntime neverAttempting(List<Future<?>> pending) {
		return with("attemptLater", (arguments) -> {
			Future<?> future = this.runtime.attemptLater((Runnable) arguments[0], Duration.ofHours(1));
			pending.add(future);
			return future;
		});
	}

	private EndpointRuntime with(String replaced, Function<Object[], Object> replacement) {
		return (EndpointRuntime) Proxy.newProxyInstance(EndpointRuntime.class.getClassLoader(),
				new Class<?>[] { EndpointRuntime.class }, (proxy, method, arguments) -> {
					if (method.getName().equals(replaced)) {
						return replacement.apply(arguments);
					}
					try {
						return method.invoke(this.runtime, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getTargetException();
					}
				});
	}

	@Test
	void aDestroyDuringAnAttemptIsRemembered() throws Exception {
		BlockingQueue<Runnable> begun = new LinkedBlockingQueue<>();
		RdmaServer server = this.registry.addServer(TestSettings.server("echo", ADDRESS, 0));
		server.start(this.runtime);
		this.registry.destroy(server, DestroyTrigger.DEVICE_REMOVAL);
		server.deviceRemoved(with("startExecutor", (arguments) -> (Executor) begun::add));
		Runnable attempt = begun.poll(10, TimeUnit.SECONDS);

		DestroyReport report = server.destroy();

		assertThat(server.lastDestroyReport()).isSameAs(report);
		assertThat(report.trigger()).isEqualTo(DestroyTrigger.MANUAL);
		attempt.run();
	}

	@ParameterizedTest
	@EnumSource(names = { "RELISTEN", "FAILED_START" })
	void whatWasStartedAnewIsNotDestroyedForAnEarlierStartThatFailed(DestroyTrigger trigger) {
		RdmaServer server = this.registry.addServer(TestSettings.server("echo", ADDRESS, 0));
		this.faults.inject(new Fault("rdmaBindAddr", 1, Kind.FAIL, Errno.EADDRNOTAVAIL.value()));
		assertThatExceptionOfType(RdmaEndpointException.class).isThrownBy(() -> server.start(this.runtime));
		EndpointStart failed = server.currentStart();
		server.destroy();
		server.start(this.runtime);
		AtomicInteger continued = new AtomicInteger();

		this.registry.destroyFailed(server, failed, trigger, continued::incrementAndGet);

		assertThat(server.state()).isEqualTo(EndpointState.UP);
		assertThat(continued).as("how often what comes then was run").hasValue(1);
		server.destroy();
	}

	@Test
	void theRemovalOfADeviceThatIsNoticedWhenTheServerWasStartedAnewUsesUpNoAttempt() {
		ServerSettings settings = TestSettings.server("echo", ADDRESS, 0);
		RdmaServer server = this.registry.addServer(new ServerSettings("echo", ADDRESS, 0, settings.backlog(),
				settings.queuePair(), settings.connection(), settings.memory(), settings.completion(),
				new ReconnectSettings(true, Duration.ofMillis(20), Duration.ofMillis(20), 0, 1), 0));
		server.start(this.runtime);
		this.registry.destroy(server, DestroyTrigger.DEVICE_REMOVAL);
		server.destroy();
		server.start(this.runtime);
		server.deviceRemoved(this.runtime);

		this.registry.destroy(server, DestroyTrigger.DEVICE_REMOVAL);
		server.deviceRemoved(this.runtime);

		await().until(() -> server.state() == EndpointState.UP);
		server.destroy();
	}

	@Test
	void nobodyWaitsForTheLookAtTheDevicesWhenTheListenersKnowOfTheDestroy() {
		HeldCalls calls = new HeldCalls(new LoopbackRdmaProvider(this.fabric));
		List<DestroyReport> reports = new CopyOnWriteArrayList<>();
		EndpointListeners listeners = new EndpointListeners((name, step) -> {
		});
		listeners.add((DestroyListener) reports::add);
		StartedRuntime held = StartedRuntime.open(calls.provider(), MemoryPoolSettings.defaults(), null,
				LIMITS.destroyTimeout(), new DestroyLimits(LIMITS.timeout(), LIMITS.disconnectGrace(),
						LIMITS.drainTimeout(), LIMITS.destroyTimeout()),
				listeners);
		try {
			RdmaServer server = this.registry.addServer(TestSettings.server("echo", ADDRESS, 0));
			server.start(held);
			calls.hold("rdmaGetDevices");
			this.fabric.faults().removeDevice();
			await().until(() -> calls.held() == 1);
			long begin = System.nanoTime();

			listeners.awaitOthers(Deadline.after(Duration.ofSeconds(30)));

			assertThat(Duration.ofNanos(System.nanoTime() - begin)).as("the wait for others")
				.isLessThan(Duration.ofSeconds(15));
			assertThat(reports).extracting(DestroyReport::trigger).containsExactly(DestroyTrigger.DEVICE_REMOVAL);
			calls.release();
			this.fabric.faults().insertDevice();
			await().until(() -> server.state() == EndpointState.UP);
			server.destroy();
		}
		finally {
			calls.release();
			held.close(Deadline.after(Duration.ofSeconds(10)));
		}
	}

	@Test
	void anAttemptThatFailsIsNoFailedStart() {
		List<DestroyReport> reports = new CopyOnWriteArrayList<>();
		this.registry.addDestroyListener(reports::add);
		this.faults.inject(new Fault("rdmaBindAddr", 2, Kind.FAIL, Errno.EADDRNOTAVAIL.value()));
		RdmaServer server = serverWhoseDeviceWasRemoved();
		await().until(() -> server.state() == EndpointState.UP);
		assertThat(reports).extracting(DestroyReport::trigger)
			.containsExactly(DestroyTrigger.DEVICE_REMOVAL, DestroyTrigger.RELISTEN);
		server.destroy();
	}

}
