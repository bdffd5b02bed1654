package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.endpoint.destroy.DestroyLimits;
import io.github.rdmaboot.endpoint.destroy.DestroyListener;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.endpoint.destroy.OrderlyDestroy;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of connections that are destroyed together when those who wait for one of
 * them cannot be told, because the executor of the application ends with an error.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DestroyTellingTests {

	private static final ShutdownSettings LIMITS = new ShutdownSettings(Duration.ofSeconds(20), Duration.ofSeconds(3),
			Duration.ofSeconds(2), Duration.ofSeconds(5));

	private final LoopbackFabric fabric = LoopbackFabrics.with("192.0.2.1");

	private final RdmaEndpoints registry = TestSettings.registry(() -> new LoopbackRdmaProvider(this.fabric), LIMITS,
			this::execute);

	/** Whether the executor takes no tasks. */
	private volatile boolean broken;

	private RdmaServer server;

	private final List<RdmaConnection> connections = new ArrayList<>();

	@BeforeEach
	void connectTwiceAndReceive() throws Exception {
		this.server = this.registry.addServer(TestSettings.server("server", "192.0.2.1", 0));
		this.registry.start();
		for (String name : new String[] { "first", "second" }) {
			RdmaClient client = this.registry.addClient(TestSettings.client(name, "192.0.2.1", this.server.port(),
					ClientStartup.BACKGROUND, TestSettings.NO_RECONNECT));
			client.start();
			client.connect().get(10, TimeUnit.SECONDS);
		}
		await().until(() -> this.server.connections().size() == 2);
		this.connections.addAll(this.server.connections());
		this.connections.forEach(RdmaConnection::receive);
	}

	@AfterEach
	void close() {
		this.broken = false;
		this.registry.close();
	}

	private void execute(Runnable task) {
		if (this.broken) {
			throw new NoClassDefFoundError("the executor is broken");
		}
		new Thread(task).start();
	}

	@Test
	void endpointAndAllItsConnectionsAreDestroyed() {
		this.broken = true;

		DestroyReport report = this.server.destroy();

		assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
		assertThat(this.server.state()).as("state of the server").isEqualTo(EndpointState.IDLE);
		assertThat(this.connections).as("connections that nobody waits for")
			.allSatisfy((connection) -> assertThat(connection.end().latch().getCount()).isZero());
		this.broken = false;
		this.server.start();
		assertThat(this.server.state()).as("state after another start").isEqualTo(EndpointState.UP);
	}

	@Test
	void listenersHaveTimeForTheBeginOfWhatIsDestroyedAfterSomethingThatTookLong() {
		Duration limit = Duration.ofSeconds(5);
		List<String> events = new CopyOnWriteArrayList<>();
		List<Runnable> tasks = new ArrayList<>();
		EndpointListeners listeners = new EndpointListeners((name, step) -> {
		});
		listeners.add(new DestroyListener() {

			@Override
			public void destroyStarted(String endpoint, long connection, DestroyTrigger trigger) {
				pass(Duration.ofMillis(200));
				events.add("told");
			}

			@Override
			public void destroyEnded(DestroyReport report) {
			}

		});
		ConnectionReaper reaper = new ConnectionReaper(tasks::add,
				(listener) -> new OrderlyDestroy(limits(), listener, (task) -> {
					if (events.lastIndexOf("steps") < events.size() - 1) {
						events.add("steps");
						pass(limit.dividedBy(9));
					}
					return new Thread(task);
				}), () -> listeners.begin(limit), () -> {
				});
		reaper.destroy(this.connections.get(0), DestroyTrigger.DISCONNECT);
		reaper.destroy(this.connections.get(1), DestroyTrigger.MANUAL);

		tasks.forEach(Runnable::run);

		assertThat(events).containsExactly("told", "steps", "told", "steps");
	}

	@Test
	void connectionsThatEndedAreDestroyedThoughOthersCannotBeToldOf() {
		AtomicInteger tellings = new AtomicInteger();
		EndpointListeners listeners = new EndpointListeners((name, step) -> {
		});
		List<DestroyReport> told = new CopyOnWriteArrayList<>();
		listeners.add((DestroyListener) told::add);
		List<Runnable> tasks = new ArrayList<>();
		ConnectionReaper reaper = new ConnectionReaper(tasks::add, (listener) -> new OrderlyDestroy(limits(), listener),
				() -> {
					if (tellings.incrementAndGet() == 1) {
						throw new OutOfMemoryError("no memory to tell of a destroy");
					}
					return listeners.begin(LIMITS.timeout());
				}, () -> {
				});
		reaper.destroy(this.connections.get(0), DestroyTrigger.DISCONNECT);
		reaper.destroy(this.connections.get(1), DestroyTrigger.MANUAL);

		tasks.forEach((task) -> assertThatNoException().isThrownBy(task::run));

		assertThat(this.connections).as("connections that nobody waits for")
			.allSatisfy((connection) -> assertThat(connection.end().latch().getCount()).isZero());
		assertThat(told).extracting(DestroyReport::result).containsExactly(DestroyResult.SUCCESS);
	}

	@Test
	void nobodyWaitsForTheLookAtTheDevicesWhenTheListenersKnowOfTheConnectionsThatEnded() throws Exception {
		CountDownLatch looking = new CountDownLatch(1);
		CountDownLatch released = new CountDownLatch(1);
		EndpointListeners listeners = new EndpointListeners((name, step) -> {
		});
		List<DestroyReport> told = new CopyOnWriteArrayList<>();
		listeners.add((DestroyListener) told::add);
		ConnectionReaper reaper = new ConnectionReaper((task) -> new Thread(task).start(),
				(listener) -> new OrderlyDestroy(limits(), listener), () -> listeners.begin(LIMITS.timeout()), () -> {
					looking.countDown();
					Deadline.after(Duration.ofSeconds(50)).await(released);
				});
		reaper.destroy(this.connections.get(0), DestroyTrigger.DEVICE_REMOVAL);
		assertThat(looking.await(10, TimeUnit.SECONDS)).as("the look has begun").isTrue();
		long begin = System.nanoTime();

		listeners.awaitOthers(Deadline.after(Duration.ofSeconds(30)));

		assertThat(Duration.ofNanos(System.nanoTime() - begin)).as("the wait for others")
			.isLessThan(Duration.ofSeconds(15));
		assertThat(told).extracting(DestroyReport::trigger).containsExactly(DestroyTrigger.DEVICE_REMOVAL);
		released.countDown();
	}

	private static DestroyLimits limits() {
		return new DestroyLimits(LIMITS.timeout(), LIMITS.disconnectGrace(), LIMITS.drainTimeout(),
				LIMITS.destroyTimeout());
	}

	private static void pass(Duration time) {
		Deadline.after(time).await(new CountDownLatch(1));
	}

	@Test
	void connectionsThatEndedAreDestroyedAndReported() {
		List<DestroyReport> told = new CopyOnWriteArrayList<>();
		List<Runnable> tasks = new ArrayList<>();
		EndpointListeners listeners = new EndpointListeners((name, step) -> {
		});
		listeners.add((DestroyListener) told::add);
		ConnectionReaper reaper = new ConnectionReaper(tasks::add, (listener) -> new OrderlyDestroy(limits(), listener),
				() -> listeners.begin(LIMITS.timeout()), () -> {
				});
		this.connections.forEach((connection) -> reaper.destroy(connection, DestroyTrigger.DISCONNECT));
		this.broken = true;

		tasks.forEach(Runnable::run);

		assertThat(this.connections).as("connections that nobody waits for")
			.allSatisfy((connection) -> assertThat(connection.end().latch().getCount()).isZero());
		assertThat(told).as("reports").hasSize(2);
		assertThat(this.server.connections()).as("connections that the server still knows").isEmpty();
	}

}
