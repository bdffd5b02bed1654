package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.rdmaboot.endpoint.destroy.DestroyListener;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.FaultingProvider.Fault;
import io.github.rdmaboot.provider.FaultingProvider.Kind;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * Calls of bring-up that do not return: the start fails within their limit, a close is
 * not held up, and what was made is freed when they return.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StartsThatAreHeldUpTests {

	private static final String ADDRESS = "192.0.2.1";

	private static final String GROUP = "239.1.2.3";

	private static final Duration LIMIT = Duration.ofMillis(200);

	/** As many as there are threads that wait for peers. */
	private static final int LOOK_UPS = 16;

	/** More than any limit, and less than a test may take. */
	private static final Duration SOON = Duration.ofSeconds(10);

	private final LoopbackFabric fabric = LoopbackFabrics.with(ADDRESS);

	private final CallOrder order = new CallOrder();

	private final FaultingProvider faulting = FaultingProvider.of(new LoopbackRdmaProvider(this.fabric), this.order);

	private final HeldCalls calls = new HeldCalls(this.faulting.provider());

	private final RdmaEndpoints registry = TestSettings.registry(this::openProvider,
			new ShutdownSettings(Duration.ofSeconds(1), LIMIT, LIMIT, LIMIT), null);

	private final ExecutorService users = Executors.newCachedThreadPool();

	// As a provider is opened that looks whether its libraries and devices work.
	private RdmaProvider openProvider() {
		RdmaProvider provider = this.calls.provider();
		provider.name();
		provider.ibvFreeDeviceList(provider.ibvGetDeviceList());
		return provider;
	}

	@AfterEach
	void releaseAndClose() {
		this.calls.release();
		this.registry.close();
		this.users.shutdownNow();
	}

	private RdmaDatagramEndpoint datagrams(String... groups) {
		return this.registry.addDatagrams(new DatagramSettings("datagrams", ADDRESS, 4711, 16, LIMIT, LIMIT,
				List.of(groups).stream().map(TestSettings::literal).toList(), 16, 64, null,
				CompletionSettings.defaults(), TestSettings.RECONNECT));
	}

	private void releaseAndCheckThatNothingIsLeft() {
		this.calls.release();
		await().atMost(SOON).untilAsserted(() -> assertThat(this.order.left()).isEmpty());
		assertThat(this.order.violations()).isEmpty();
	}

	private <T extends RuntimeException> T failureOfStart(Class<T> type, Runnable start) {
		CompletableFuture<T> failure = CompletableFuture.supplyAsync(() -> catchThrowableOfType(type, start::run),
				this.users);
		assertThat(failure).succeedsWithin(SOON).isNotNull();
		return failure.join();
	}

	@Test
	void theStartOfAServerFailsInTime() {
		RdmaServer server = this.registry.addServer(TestSettings.server("echo", ADDRESS, 0));
		this.calls.hold("rdmaBindAddr");
		RdmaEndpointException failure = failureOfStart(RdmaEndpointException.class, this.registry::start);
		assertThat(failure.call()).isEqualTo("rdma_bind_addr");
		assertThat(failure.errno()).isEqualTo(Errno.ETIMEDOUT.value());
		assertThat(this.registry.isRunning()).isFalse();
		assertThat(server.stuckCalls()).singleElement()
			.satisfies((stuck) -> assertThat(stuck.call()).isEqualTo("rdma_bind_addr"));
		this.calls.release();
		await().atMost(SOON).until(() -> server.stuckCalls().isEmpty());
		this.registry.start();
		assertThat(server.state()).isEqualTo(EndpointState.UP);
		this.registry.close();
		releaseAndCheckThatNothingIsLeft();
	}

	@ParameterizedTest
	@CsvSource({ "ibvRegMr,ibv_reg_mr", "rdmaJoinMulticast,rdma_join_multicast" })
	void theStartOfADatagramEndpointFailsInTime(String method, String call) {
		RdmaDatagramEndpoint datagrams = datagrams(GROUP);
		this.calls.hold(method);
		RdmaEndpointException failure = failureOfStart(RdmaEndpointException.class, this.registry::start);
		assertThat(failure.call()).isEqualTo(call);
		assertThat(failure.errno()).isEqualTo(Errno.ETIMEDOUT.value());
		assertThat(this.registry.isRunning()).isFalse();
		assertThat(datagrams.stuckCalls()).as("what is left, each part of which ends by itself")
			.extracting(StuckCall::subject)
			.containsExactlyInAnyOrder("datagrams", "datagrams.service");
		releaseAndCheckThatNothingIsLeft();
	}

	@ParameterizedTest
	@CsvSource({ "name,the opening of the provider", "ibvGetDeviceList,ibv_get_device_list" })
	void theStartOfTheRegistryFailsInTimeWhileTheProviderIsNotOpen(String method, String call) {
		RdmaServer server = this.registry.addServer(TestSettings.server("echo", ADDRESS, 0));
		this.calls.hold(method);
		RdmaException failure = failureOfStart(RdmaException.class, this.registry::start);
		assertThat(failure.call()).isEqualTo(call);
		assertThat(failure.errno()).isEqualTo(Errno.ETIMEDOUT.value());
		assertThat(failure).hasMessageContaining(call + " did not return (ETIMEDOUT)")
			.hasMessageContaining("thread 'rdma-open' in jdk.internal.misc.Unsafe.park");
		assertThat(this.registry.isRunning()).isFalse();
		assertThat(failureOfStart(IllegalStateException.class, this.registry::start))
			.hasMessageContaining(call + " of its last start is stuck");
		this.calls.release();
		await().atMost(SOON)
			.untilAsserted(() -> assertThat(this.faulting.counts()).as("calls on the provider that came too late")
				.containsKey("close")
				.doesNotContainKey("describeDevices"));
		await().atMost(SOON).ignoreExceptionsInstanceOf(IllegalStateException.class).untilAsserted(() -> {
			this.registry.start();
			assertThat(server.state()).isEqualTo(EndpointState.UP);
		});
		this.registry.close();
		releaseAndCheckThatNothingIsLeft();
	}

	@ParameterizedTest
	@CsvSource({ "describeDevices,read", "rdmaCreateEventChannel,rdma_create_event_channel", "createWaker,eventfd",
			"close,the closing of the provider" })
	void theStartOfTheRegistryFailsInTimeAndIsRefusedWhileItsCallIsStuck(String method, String call) {
		RdmaServer server = this.registry.addServer(TestSettings.server("echo", ADDRESS, 0));
		if (method.equals("close")) {
			this.faulting.inject(new Fault("createWaker", 1, Kind.FAIL, Errno.EMFILE.value()));
		}
		this.calls.hold(method);
		// Until the provider is closed, nobody hears of the failure.
		RdmaException failure = failureOfStart(RdmaException.class, this.registry::start);
		assertThat(failure.call()).isEqualTo(call);
		assertThat(failure.errno()).isEqualTo(Errno.ETIMEDOUT.value());
		assertThat(this.registry.isRunning()).isFalse();
		IllegalStateException refusal = failureOfStart(IllegalStateException.class, this.registry::start);
		assertThat(refusal).hasMessageContaining(call + " of its last start is stuck");
		this.calls.release();
		await().atMost(SOON).ignoreExceptionsInstanceOf(IllegalStateException.class).untilAsserted(() -> {
			this.registry.start();
			assertThat(server.state()).isEqualTo(EndpointState.UP);
		});
		this.registry.close();
		releaseAndCheckThatNothingIsLeft();
	}

	@Test
	void theLogSaysThatAnOpeningWhichWasLeftBehindHasReturned() {
		Logger logger = (Logger) LoggerFactory.getLogger(RuntimeOpening.class);
		ListAppender<ILoggingEvent> log = new ListAppender<>();
		log.start();
		logger.addAppender(log);
		try {
			this.calls.hold("describeDevices");
			failureOfStart(RdmaException.class, this.registry::start);
			assertThat(log.list).as("warnings while the call is stuck").isEmpty();
			this.faulting.inject(new Fault("describeDevices", 1, Kind.FAIL, Errno.ENOMEM.value()));
			this.calls.release();
			await().atMost(SOON)
				.untilAsserted(() -> assertThat(log.list).filteredOn((event) -> event.getLevel() == Level.WARN)
					.singleElement()
					.satisfies((event) -> {
						assertThat(event.getFormattedMessage()).contains("has returned", "is closed");
						assertThat(event.getThrowableProxy().getMessage()).contains("ENOMEM");
					}));
		}
		finally {
			logger.detachAppender(log);
		}
	}

	@ParameterizedTest(name = "stopped meanwhile: {0}")
	@ValueSource(booleans = { false, true })
	void aCloseThatIsStuckAfterAStartWasGivenUpIsKnown(boolean stopped) {
		Stops told = new Stops();
		this.registry.addDestroyListener(told);
		this.calls.hold("rdmaCreateEventChannel");
		CompletableFuture<Void> start = CompletableFuture.runAsync(this.registry::start, this.users);
		await().until(() -> this.calls.held() == 1);
		if (stopped) {
			assertThat(this.registry.destroyAll(DestroyTrigger.SHUTDOWN)).isEmpty();
		}
		else {
			assertThat(start).failsWithin(SOON);
		}
		this.faulting.inject(new Fault("rdmaDestroyEventChannel", 1, Kind.BLOCK, 0));
		this.calls.release();
		await().atMost(SOON)
			.untilAsserted(() -> assertThat(this.registry.stuckCalls()).singleElement()
				.satisfies((stuck) -> assertThat(stuck.call()).isEqualTo("rdma_destroy_event_channel")));
		assertThat(start).failsWithin(SOON);
		assertThat(told.begun).as("stops that have begun").hasValue(1);
		assertThat(told.ended).as("stops that have ended").hasValue(0);
		this.faulting.release();
		await().atMost(SOON).untilAsserted(() -> assertThat(this.registry.stuckCalls()).isEmpty());
		await().atMost(SOON).untilAsserted(() -> assertThat(told.ended).hasValue(1));
		releaseAndCheckThatNothingIsLeft();
	}

	@ParameterizedTest
	@ValueSource(strings = { "rdmaJoinMulticast", "awaitCmEvent" })
	void anInterruptEndsAStartThatWaitsForGroups(String method) {
		RdmaDatagramEndpoint datagrams = this.registry.addDatagrams(new DatagramSettings("datagrams", ADDRESS, null, 16,
				SOON.multipliedBy(2), SOON.multipliedBy(2), List.of(TestSettings.literal(GROUP)), 16, 64, null,
				CompletionSettings.defaults(), TestSettings.RECONNECT));
		this.calls.hold(method);
		CompletableFuture<RdmaEndpointException> failure = new CompletableFuture<>();
		CompletableFuture<Boolean> kept = new CompletableFuture<>();
		Thread starter = new Thread(() -> {
			failure.complete(catchThrowableOfType(RdmaEndpointException.class, this.registry::start));
			kept.complete(Thread.currentThread().isInterrupted());
		}, "starter");
		starter.start();
		await().until(() -> this.calls.held() > 0
				&& (method.equals("rdmaJoinMulticast") || this.faulting.counts().containsKey("rdmaJoinMulticast")));
		starter.interrupt();
		assertThat(failure).succeedsWithin(SOON).satisfies((ex) -> {
			assertThat(ex.call()).isEqualTo("rdma_join_multicast");
			assertThat(ex.errno()).isEqualTo(Errno.EINTR.value());
		});
		assertThat(kept).succeedsWithin(SOON).isEqualTo(true);
		assertThat(this.registry.isRunning()).isFalse();
		assertThat(datagrams.state()).isNotEqualTo(EndpointState.UP);
		releaseAndCheckThatNothingIsLeft();
	}

	@Test
	void aShortLimitOfDestroysFailsNoStartWhoseCallTakesLonger() {
		this.calls.hold("ibvRegMr");
		try (RdmaEndpoints hurried = CheckedEndpoints.create(this.calls::provider, SOON,
				new ShutdownSettings(Duration.ofSeconds(1), LIMIT, LIMIT, LIMIT), MemoryPoolSettings.defaults(),
				null)) {
			RdmaDatagramEndpoint endpoint = hurried.addDatagrams(TestSettings.datagrams("slow", ADDRESS, null));
			CompletableFuture<Void> start = CompletableFuture.runAsync(hurried::start, this.users);
			await().until(() -> this.calls.held() == 1);
			assertThat(start).as("start after three times the limit of destroys")
				.failsWithin(LIMIT.multipliedBy(3))
				.withThrowableOfType(TimeoutException.class);
			this.calls.release();
			assertThat(start).succeedsWithin(SOON);
			assertThat(endpoint.state()).isEqualTo(EndpointState.UP);
		}
	}

	@Test
	void aLongLimitOfDestroysLetsNoStartWait() {
		this.calls.hold("rdmaBindAddr");
		RdmaEndpoints patient = CheckedEndpoints.create(this.calls::provider, LIMIT,
				new ShutdownSettings(SOON.multipliedBy(6), LIMIT, LIMIT, SOON.multipliedBy(3)),
				MemoryPoolSettings.defaults(), null);
		RdmaServer server = patient.addServer(TestSettings.server("echo", ADDRESS, 0));
		CompletableFuture<Void> start = CompletableFuture.runAsync(patient::start, this.users);
		await().atMost(SOON).until(() -> server.lastError() != null);
		assertThat(server.lastError()).isInstanceOfSatisfying(RdmaEndpointException.class,
				(failure) -> assertThat(failure.errno()).isEqualTo(Errno.ETIMEDOUT.value()));
		this.calls.release();
		assertThat(start).failsWithin(SOON);
	}

	@Test
	void aCloseIsNotHeldUpByAStart() {
		this.registry.addServer(TestSettings.server("echo", ADDRESS, 0));
		this.calls.hold("rdmaBindAddr");
		CompletableFuture<Void> start = CompletableFuture.runAsync(this.registry::start, this.users);
		await().until(() -> this.calls.held() == 1);
		List<DestroyReport> reports = this.registry.destroyAll(DestroyTrigger.SHUTDOWN);
		assertThat(reports).singleElement()
			.satisfies((report) -> assertThat(report.toLine()).contains("still inside rdma_bind_addr"));
		assertThat(start).failsWithin(SOON);
		releaseAndCheckThatNothingIsLeft();
	}

	@Test
	void aJoinFailsInTimeAndSoDoThoseAfterIt() {
		RdmaDatagramEndpoint datagrams = datagrams();
		this.registry.start();
		this.calls.hold("rdmaJoinMulticast");
		CompletableFuture<DatagramPeer> join = datagrams.join(TestSettings.literal(GROUP));
		await().until(() -> this.calls.held() == 1);
		CompletableFuture<DatagramPeer> next = datagrams.join(TestSettings.literal("239.1.2.4"));
		for (CompletableFuture<DatagramPeer> each : List.of(join, next)) {
			assertThat(each).failsWithin(SOON).withThrowableThat().withMessageContaining("rdma_join_multicast");
		}
		this.calls.release();
		await().atMost(SOON)
			.ignoreExceptions()
			.until(() -> datagrams.join(TestSettings.literal(GROUP)).get(1, TimeUnit.SECONDS) != null);
		this.registry.close();
		releaseAndCheckThatNothingIsLeft();
	}

	@Test
	void aLeaveFailsInTime() throws Exception {
		RdmaDatagramEndpoint datagrams = datagrams(GROUP);
		InetAddress group = InetAddress.getByName(GROUP);
		this.registry.start();
		this.calls.hold("rdmaLeaveMulticast");
		RdmaEndpointException failure = failureOfStart(RdmaEndpointException.class, () -> datagrams.leave(group));
		assertThat(failure.call()).isEqualTo("rdma_leave_multicast");
		assertThat(failure.errno()).isEqualTo(Errno.ETIMEDOUT.value());
		List<DestroyReport> reports = this.registry.destroyAll(DestroyTrigger.SHUTDOWN);
		assertThat(reports).singleElement()
			.satisfies((report) -> assertThat(report.toLine()).contains("still inside rdma_leave_multicast"));
		releaseAndCheckThatNothingIsLeft();
	}

	@Test
	void anInterruptEndsTheWaitForALeaveWhichGoesOn() {
		ShutdownSettings patient = new ShutdownSettings(SOON.multipliedBy(2), LIMIT, LIMIT, SOON.multipliedBy(2));
		InetAddress group = TestSettings.literal(GROUP);
		try (RdmaEndpoints members = TestSettings.registry(this.calls::provider, patient, null)) {
			RdmaDatagramEndpoint member = members.addDatagrams(TestSettings.datagrams("member", ADDRESS, null, GROUP));
			members.start();
			this.calls.hold("rdmaLeaveMulticast");
			CompletableFuture<RdmaEndpointException> failure = new CompletableFuture<>();
			CompletableFuture<Boolean> kept = new CompletableFuture<>();
			Thread user = new Thread(() -> {
				failure.complete(catchThrowableOfType(RdmaEndpointException.class, () -> member.leave(group)));
				kept.complete(Thread.currentThread().isInterrupted());
			}, "user");
			user.start();
			await().until(() -> this.calls.held() == 1);
			user.interrupt();
			assertThat(failure).succeedsWithin(SOON).satisfies((ex) -> {
				assertThat(ex.call()).isEqualTo("rdma_leave_multicast");
				assertThat(ex.errno()).isEqualTo(Errno.EINTR.value());
			});
			assertThat(kept).as("whether the thread is still interrupted").succeedsWithin(SOON).isEqualTo(true);
			assertThat(member.groups()).as("groups that count as joined").isEmpty();
			this.calls.release();
			await().atMost(SOON)
				.untilAsserted(() -> assertThat(this.order.left()).noneMatch((each) -> each.startsWith("group")));
		}
		releaseAndCheckThatNothingIsLeft();
	}

	@Test
	void aLeaveIsNotHeldUpByLookUpsOfPeersThatDoNotAnswer() {
		ShutdownSettings patient = new ShutdownSettings(Duration.ofSeconds(20), LIMIT, LIMIT, Duration.ofSeconds(30));
		this.registry.addDatagrams(TestSettings.datagrams("asked", ADDRESS, 4712));
		this.registry.start();
		this.calls.hold("rdmaAccept");
		FaultingProvider asking = FaultingProvider.of(new LoopbackRdmaProvider(this.fabric), new CallOrder());
		try (RdmaEndpoints askers = TestSettings.registry(asking::provider, patient, null)) {
			RdmaDatagramEndpoint asker = askers.addDatagrams(new DatagramSettings("asker", ADDRESS, null, 16,
					Duration.ofSeconds(50), Duration.ofSeconds(50), List.of(TestSettings.literal(GROUP)), 16, 64, null,
					CompletionSettings.defaults(), TestSettings.RECONNECT));
			askers.start();
			for (int i = 0; i < LOOK_UPS; i++) {
				asker.resolve(ADDRESS, 4712);
			}
			await().atMost(SOON)
				.until(() -> asking.counts().containsKey("rdmaConnect")
						&& asking.counts().get("rdmaConnect").get() == LOOK_UPS);
			CompletableFuture<Boolean> leave = CompletableFuture
				.supplyAsync(() -> asker.leave(TestSettings.literal(GROUP)), this.users);
			assertThat(leave).succeedsWithin(SOON).isEqualTo(true);
		}
	}

	/**
	 * Counts what it hears of stops.
	 */
	private static final class Stops implements DestroyListener {

		private final AtomicInteger begun = new AtomicInteger();

		private final AtomicInteger ended = new AtomicInteger();

		@Override
		public void stopStarted(DestroyTrigger trigger) {
			this.begun.incrementAndGet();
		}

		@Override
		public void stopEnded(DestroyTrigger trigger, Duration took) {
			this.ended.incrementAndGet();
		}

		@Override
		public void destroyEnded(DestroyReport report) {
		}

	}

}
