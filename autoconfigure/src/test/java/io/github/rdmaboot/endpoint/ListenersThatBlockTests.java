package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.endpoint.destroy.DestroyListener;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Listeners of destroys that block: what is native is freed all the same, and nobody
 * waits for them longer than a destroy may take.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ListenersThatBlockTests {

	private static final ShutdownSettings LIMITS = new ShutdownSettings(Duration.ofSeconds(3), Duration.ofSeconds(1),
			Duration.ofSeconds(1), Duration.ofSeconds(1));

	/** More than a test waits for what must not wait for a listener. */
	private static final ShutdownSettings PATIENT = new ShutdownSettings(Duration.ofSeconds(40), Duration.ofSeconds(1),
			Duration.ofSeconds(1), Duration.ofSeconds(20));

	/** What a destroy may take, and a machine that is busy. */
	private static final Duration IN_TIME = LIMITS.timeout().plusSeconds(2);

	private final LoopbackFabric fabric = LoopbackFabrics.with("192.0.2.1");

	private final RdmaEndpoints registry = registry(LIMITS);

	private final List<String> told = new CopyOnWriteArrayList<>();

	private final CountDownLatch release = new CountDownLatch(1);

	private final Logger logger = (Logger) LoggerFactory.getLogger(Teller.class);

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	private RdmaServer server;

	private RdmaClient client;

	@BeforeEach
	void readTheLog() {
		this.log.start();
		this.logger.addAppender(this.log);
	}

	@BeforeEach
	void connect() throws Exception {
		this.server = this.registry.addServer(TestSettings.server("server", "192.0.2.1", 0));
		this.registry.start();
		this.client = this.registry.addClient(TestSettings.client("client", "192.0.2.1", this.server.port(),
				ClientStartup.BACKGROUND, TestSettings.NO_RECONNECT));
		this.client.start();
		this.client.connect().get(10, TimeUnit.SECONDS);
		await().until(() -> this.server.connections().size() == 1);
	}

	@AfterEach
	void close() {
		this.release.countDown();
		this.registry.close();
		this.logger.detachAppender(this.log);
	}

	private RdmaEndpoints registry(ShutdownSettings limits) {
		return TestSettings.registry(() -> new LoopbackRdmaProvider(this.fabric), limits, null);
	}

	private void awaitRelease() {
		Deadline.after(Duration.ofSeconds(50)).await(this.release);
	}

	private static Duration durationOf(Runnable task) {
		long begin = System.nanoTime();
		task.run();
		return Duration.ofNanos(System.nanoTime() - begin);
	}

	private void assertThatNothingIsLeft() {
		assertThat(this.fabric.resources().toString()).as("what exists on the fabric")
			.isEqualTo(new LoopbackFabric().resources().toString());
	}

	@ParameterizedTest
	@ValueSource(strings = { "stopStarted", "destroyStarted", "destroyEnded", "stopEnded" })
	void aStopFreesEverythingInTimeAndNamesTheListenerAndWhereItBlocks(String blocking) {
		this.registry.addDestroyListener(new Blocking(blocking));

		assertThat(durationOf(this.registry::close)).as("what the stop took").isLessThan(IN_TIME);

		assertThatNothingIsLeft();
		assertThat(this.server.state()).as("state of the server").isEqualTo(EndpointState.IDLE);
		assertThat(this.log.list).isNotEmpty().allSatisfy((event) -> {
			assertThat(event.getFormattedMessage())
				.contains(Blocking.class.getName() + " of destroys has not returned for ");
			assertThat(event.getThrowableProxy().getStackTraceElementProxyArray())
				.extracting((frame) -> frame.getStackTraceElement().getMethodName())
				.as("where the listener is said to be")
				.contains("awaitRelease");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "destroyStarted", "destroyEnded" })
	void aDestroyReturnsInTime(String blocking) {
		this.registry.addDestroyListener(new Blocking(blocking));
		List<DestroyReport> reports = new ArrayList<>();

		assertThat(durationOf(() -> reports.add(this.server.destroy()))).as("what the destroy took")
			.isLessThan(IN_TIME);

		assertThat(reports).extracting(DestroyReport::result).containsExactly(DestroyResult.SUCCESS);
	}

	@Test
	void aServerListensAgainWhenItsDeviceIsBackWithoutWaitingForTheListener() {
		RdmaEndpoints patient = registry(PATIENT);
		RdmaServer lone = patient.addServer(TestSettings.server("lone", "192.0.2.1", 0));
		patient.addDestroyListener(new Blocking("destroyEnded"));
		patient.start();
		try {
			this.fabric.faults().removeDevice();
			await().until(() -> lone.state() == EndpointState.DOWN);
			this.fabric.faults().insertDevice();
			await().atMost(Duration.ofSeconds(15)).until(() -> lone.state() == EndpointState.UP);
		}
		finally {
			this.release.countDown();
			patient.close();
		}
	}

	@Test
	void aServerThatCouldNotListenTriesAgainWithoutWaitingForTheListener() {
		RdmaEndpoints patient = registry(PATIENT);
		RdmaServer lone = patient.addServer(TestSettings.server("lone", "192.0.2.1", 0));
		CountDownLatch blocked = new CountDownLatch(1);
		patient.addDestroyListener((report) -> {
			if (report.trigger() == DestroyTrigger.RELISTEN) {
				blocked.countDown();
				awaitRelease();
			}
		});
		patient.start();
		try {
			this.fabric.faults().removeDevice();
			await().until(() -> blocked.getCount() == 0);
			this.fabric.faults().insertDevice();
			await().atMost(Duration.ofSeconds(15)).until(() -> lone.state() == EndpointState.UP);
		}
		finally {
			this.release.countDown();
			patient.close();
		}
	}

	@Test
	void aStopDoesNotWaitForADestroyThatWaitsForTheListenerAlone() {
		RdmaEndpoints patient = registry(PATIENT);
		RdmaServer peer = patient.addServer(TestSettings.server("peer", "192.0.2.1", 0));
		CountDownLatch blocked = new CountDownLatch(1);
		patient.addDestroyListener((report) -> {
			if (report.connection() != 0 && blocked.getCount() > 0) {
				blocked.countDown();
				awaitRelease();
			}
		});
		patient.start();
		this.client.destroy();
		RdmaClient lone = this.registry.addClient(TestSettings.client("lone", "192.0.2.1", peer.port(),
				ClientStartup.BACKGROUND, TestSettings.NO_RECONNECT));
		lone.start();
		await().until(() -> peer.connections().size() == 1);
		peer.connections().iterator().next().close();
		await().until(() -> blocked.getCount() == 0);
		Logger pools = (Logger) LoggerFactory.getLogger(WorkerPool.class);
		pools.addAppender(this.log);
		pools.setLevel(Level.INFO);
		try {
			assertThat(durationOf(patient::close)).as("what the stop took").isLessThan(Duration.ofSeconds(10));

			assertThat(this.log.list).extracting(ILoggingEvent::getFormattedMessage)
				.as("what is said of the thread")
				.anyMatch((message) -> message.contains("wait for listeners of destroys"))
				.noneMatch((message) -> message.contains("inside a call"));
		}
		finally {
			pools.detachAppender(this.log);
			pools.setLevel(null);
		}
	}

	@Test
	void othersAreToldWhileOneBlocks() {
		this.registry.addDestroyListener(new Blocking("destroyStarted"));
		List<DestroyReport> reports = new CopyOnWriteArrayList<>();
		this.registry.addDestroyListener(reports::add);

		this.registry.close();

		assertThat(reports).extracting(DestroyReport::endpoint).containsExactly("server", "client");
	}

	@Test
	void aListenerForWhichNobodyWaitsAnyMoreIsNotPartOfWhatTheThreadDestroysNext() throws Exception {
		Thread conductor = Thread.currentThread();
		CompletableFuture<Boolean> waitedFor = new CompletableFuture<>();
		DestroyListener late = (report) -> {
			awaitRelease();
			waitedFor.complete(Teller.isWaitedForBy((thread) -> thread == conductor));
		};
		try (Teller teller = new Teller(List.of(late), Duration.ofMillis(100))) {
			teller.tell((listener) -> listener.stopEnded(DestroyTrigger.MANUAL, Duration.ZERO));
			teller.tell((listener) -> listener.destroyEnded(new DestroyReport("server", 0, DestroyTrigger.MANUAL,
					Instant.now(), Duration.ZERO, DestroyResult.SUCCESS, 0, List.of())));
		}

		this.release.countDown();

		assertThat(waitedFor.get(10, TimeUnit.SECONDS)).as("waited for by who destroyed").isFalse();
	}

	@Test
	void aConnectionThatIsClosedIsDestroyed() throws Exception {
		this.registry.addDestroyListener(new Blocking("destroyStarted"));

		DestroyReport report = this.server.connections()
			.iterator()
			.next()
			.close()
			.get(IN_TIME.toMillis(), TimeUnit.MILLISECONDS);

		assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
	}

	@Test
	void theRestIsToldInOrderWhenTheListenerReturns() {
		this.registry.addDestroyListener(new Blocking("destroyStarted"));
		this.registry.close();

		this.release.countDown();

		await().untilAsserted(() -> assertThat(this.told).containsExactly("stopStarted", "destroyStarted server",
				"destroyStarted client", "destroyEnded server", "destroyEnded client", "stopEnded"));
	}

	@Test
	void aListenerThatIsSlowHasBeenToldEverythingInOrderWhenTheStopReturns() {
		Blocking slow = new Blocking("destroyEnded");
		slow.action = () -> Deadline.after(Duration.ofMillis(500)).await(new CountDownLatch(1));
		this.registry.addDestroyListener(slow);

		this.registry.close();

		assertThat(this.told).containsExactly("stopStarted", "destroyStarted server", "destroyStarted client",
				"destroyEnded server", "destroyEnded client", "stopEnded");
		assertThat(this.log.list).as("warnings").isEmpty();
	}

	@Test
	void nothingIsDestroyedBeforeTheListenersWereToldThatAStopBegins() {
		nothingIsDestroyedBeforeTheListenersWereTold("stopStarted", this.registry::close);
	}

	@Test
	void nothingIsDestroyedBeforeTheListenersWereToldThatTheDestroyOfAnEndpointBegins() {
		nothingIsDestroyedBeforeTheListenersWereTold("destroyStarted", this.server::destroy);
	}

	@Test
	void nothingIsDestroyedBeforeTheListenersWereToldThatTheDestroyOfAConnectionBegins() {
		RdmaConnection connection = this.server.connections().iterator().next();
		nothingIsDestroyedBeforeTheListenersWereTold("destroyStarted", () -> connection.close().join());
	}

	// The listener takes longer than a destroy would that does not wait for it, and less
	// than the tenth of the limit for which it does.
	private void nothingIsDestroyedBeforeTheListenersWereTold(String begin, Runnable destroy) {
		String before = this.fabric.resources().toString();
		List<String> seen = new CopyOnWriteArrayList<>();
		Blocking looking = new Blocking(begin);
		looking.action = () -> {
			Deadline.after(Duration.ofMillis(100)).await(new CountDownLatch(1));
			seen.add(this.fabric.resources().toString());
		};
		this.registry.addDestroyListener(looking);

		destroy.run();

		assertThat(seen).as("what existed on the fabric when the listener had been told").containsExactly(before);
	}

	@Test
	void aStopReturnsWhenListenersKnowOfADestroyThatWasUnderWay() throws Exception {
		RdmaEndpoints patient = registry(ShutdownSettings.defaults());
		RdmaServer lone = patient.addServer(TestSettings.server("lone", "192.0.2.1", 0));
		CountDownLatch telling = new CountDownLatch(1);
		List<DestroyTrigger> known = new CopyOnWriteArrayList<>();
		patient.addDestroyListener((report) -> {
			if (report.trigger() == DestroyTrigger.MANUAL) {
				telling.countDown();
				Deadline.after(Duration.ofMillis(500)).await(new CountDownLatch(1));
			}
			known.add(report.trigger());
		});
		patient.start();
		CompletableFuture<DestroyReport> destroy = CompletableFuture.supplyAsync(lone::destroy,
				(task) -> new Thread(task).start());
		assertThat(telling.await(10, TimeUnit.SECONDS)).as("listener is being told").isTrue();

		patient.close();

		assertThat(known).as("destroys that the listener knows of").contains(DestroyTrigger.MANUAL);
		destroy.get(10, TimeUnit.SECONDS);
	}

	@Test
	void aListenerThatStopsTheRegistryDoesNotWaitForItself() throws Exception {
		RdmaEndpoints patient = registry(ShutdownSettings.defaults());
		RdmaServer lone = patient.addServer(TestSettings.server("lone", "192.0.2.1", 0));
		CompletableFuture<Duration> stop = new CompletableFuture<>();
		patient.addDestroyListener((report) -> {
			if (report.trigger() == DestroyTrigger.MANUAL) {
				stop.complete(durationOf(patient::close));
			}
		});
		patient.start();

		lone.destroy();

		assertThat(stop.get(10, TimeUnit.SECONDS)).as("what the stop took").isLessThan(Duration.ofMillis(1500));
	}

	@Test
	void aListenerMayStopTheRegistryThatAnotherThreadStops() throws Exception {
		RdmaEndpoints patient = registry(ShutdownSettings.defaults());
		RdmaServer first = patient.addServer(TestSettings.server("first", "192.0.2.1", 0));
		patient.addServer(TestSettings.server("second", "192.0.2.1", 0));
		CountDownLatch stopping = new CountDownLatch(1);
		CompletableFuture<Void> stop = new CompletableFuture<>();
		patient.addDestroyListener(new DestroyListener() {

			@Override
			public void stopStarted(DestroyTrigger trigger) {
				stopping.countDown();
			}

			@Override
			public void destroyEnded(DestroyReport report) {
				if (report.trigger() == DestroyTrigger.MANUAL) {
					CompletableFuture.runAsync(patient::close, (task) -> new Thread(task).start())
						.whenComplete((none, error) -> stop.complete(none));
					Deadline.after(Duration.ofSeconds(10)).await(stopping);
					patient.close();
				}
			}

		});
		patient.start();

		assertThat(durationOf(first::destroy)).as("what the destroy took").isLessThan(Duration.ofSeconds(5));

		stop.get(5, TimeUnit.SECONDS);
	}

	@Test
	void listenersAreToldByTheCallingThreadIfThereIsNoOther() {
		List<Thread> tellers = new ArrayList<>();
		DestroyListener listener = new DestroyListener() {

			@Override
			public void destroyStarted(String endpoint, long connection, DestroyTrigger trigger) {
				tellers.add(Thread.currentThread());
			}

			@Override
			public void destroyEnded(DestroyReport report) {
			}

		};

		try (Teller teller = new Teller(List.of(listener), LIMITS.timeout(), (thread) -> {
			throw new OutOfMemoryError("unable to create native thread");
		})) {
			teller.tellFirst((told) -> told.destroyStarted("server", 0, DestroyTrigger.MANUAL));
			teller.tell((told) -> told.destroyStarted("server", 0, DestroyTrigger.MANUAL));
		}

		assertThat(tellers).containsExactly(Thread.currentThread(), Thread.currentThread());
	}

	@Test
	void theBeginsOfManyDestroysAreWaitedForOnce() {
		Teller teller = new Teller(List.of(new Blocking("destroyStarted")), Duration.ofSeconds(20));
		try (DestroyTelling telling = new DestroyTelling(teller, (endpoint, step) -> {
		}, true, (closed) -> {
		})) {
			assertThat(durationOf(() -> {
				for (int i = 0; i < 100; i++) {
					telling.destroyStarted("server", i, DestroyTrigger.MANUAL);
				}
			})).as("to tell of 100 destroys").isLessThan(Duration.ofSeconds(1));
			assertThat(durationOf(telling::awaitStarted)).as("the wait, a tenth of the limit")
				.isBetween(Duration.ofSeconds(1), Duration.ofSeconds(10));
			this.release.countDown();
		}
	}

	/**
	 * Listener that blocks when it is told one thing for the first time.
	 */
	private final class Blocking implements DestroyListener {

		private final String blocking;

		private Runnable action = ListenersThatBlockTests.this::awaitRelease;

		private boolean blocked;

		private Blocking(String blocking) {
			this.blocking = blocking;
		}

		private void block(String message, String what) {
			if (message.equals(this.blocking) && !what.equals("client") && !this.blocked) {
				this.blocked = true;
				this.action.run();
			}
			ListenersThatBlockTests.this.told.add((message + " " + what).strip());
		}

		@Override
		public void stopStarted(DestroyTrigger trigger) {
			block("stopStarted", "");
		}

		@Override
		public void stopEnded(DestroyTrigger trigger, Duration took) {
			block("stopEnded", "");
		}

		@Override
		public void destroyStarted(String endpoint, long connection, DestroyTrigger trigger) {
			block("destroyStarted", endpoint);
		}

		@Override
		public void destroyEnded(DestroyReport report) {
			block("destroyEnded", report.endpoint());
		}

	}

}
