package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.endpoint.destroy.DestroyListener;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Connections whose destroy waits for a call that does not return, one after the other:
 * those of others are destroyed meanwhile, and a stop waits for all of them.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DestroysThatAreHeldUpTests {

	private static final String ADDRESS = "192.0.2.1";

	/** More than the threads that destroy connections which ended. */
	private static final int STUCK = 3;

	/** How long a stuck call is waited for. */
	private static final Duration LIMIT = Duration.ofSeconds(20);

	private final LoopbackFabric fabric = LoopbackFabrics.with(ADDRESS);

	private final HeldCalls calls = new HeldCalls(new LoopbackRdmaProvider(this.fabric));

	private final RdmaEndpoints servers = TestSettings.registry(() -> new LoopbackRdmaProvider(this.fabric),
			ShutdownSettings.defaults(), null);

	private final RdmaEndpoints clients = TestSettings.registry(this.calls::provider,
			new ShutdownSettings(Duration.ofSeconds(30), Duration.ofSeconds(1), Duration.ofSeconds(1), LIMIT), null);

	private final ExecutorService users = Executors.newCachedThreadPool();

	@AfterEach
	void releaseAndClose() {
		this.calls.release();
		this.clients.close();
		this.servers.close();
		this.users.shutdownNow();
	}

	private static DestroyListener counting(AtomicInteger begun) {
		return new DestroyListener() {

			@Override
			public void destroyStarted(String endpoint, long connection, DestroyTrigger trigger) {
				begun.incrementAndGet();
			}

			@Override
			public void destroyEnded(DestroyReport report) {
			}

		};
	}

	private List<RdmaConnection> connect(int count) throws Exception {
		RdmaServer server = this.servers.addServer(TestSettings.server("echo", ADDRESS, 0));
		this.servers.start();
		this.clients.start();
		List<RdmaConnection> connections = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			RdmaClient client = this.clients.addClient(TestSettings.client("client-" + i, ADDRESS, server.port(),
					ClientStartup.LAZY, TestSettings.NO_RECONNECT));
			client.start();
			connections.add(client.connect().get(10, TimeUnit.SECONDS));
		}
		return connections;
	}

	@ParameterizedTest
	@ValueSource(strings = { "ibvRegMr", "rdmaDestroyQp" })
	void othersAreDestroyedMeanwhile(String method) throws Exception {
		List<RdmaConnection> connections = connect(STUCK + 1);
		RdmaConnection other = connections.remove(STUCK);
		List<CompletableFuture<DestroyReport>> stuck = new ArrayList<>();
		AtomicInteger begun = new AtomicInteger();
		this.clients.addDestroyListener(counting(begun));
		this.calls.hold(method);
		for (RdmaConnection connection : connections) {
			int held = stuck.size();
			if (method.equals("ibvRegMr")) {
				this.users.execute(() -> connection.memory().register(ByteBuffer.allocateDirect(64)));
				await().until(() -> this.calls.held() > held);
			}
			stuck.add(connection.close());
			// Those that are not begun yet would be destroyed together.
			await().until(() -> begun.get() > held && this.calls.held() > held);
		}
		this.calls.holdNoMore();
		assertThat(other.close().get(LIMIT.toSeconds() / 2, TimeUnit.SECONDS).result())
			.isEqualTo(DestroyResult.SUCCESS);
		assertThat(stuck).noneMatch(CompletableFuture::isDone);
		this.calls.release();
		for (CompletableFuture<DestroyReport> report : stuck) {
			assertThat(report.get(10, TimeUnit.SECONDS).result()).isEqualTo(DestroyResult.SUCCESS);
		}
	}

	@ParameterizedTest
	@CsvSource({ "wake,write of the event channel", "destroyWaker,close of the event channel",
			"rdmaDestroyEventChannel,rdma_destroy_event_channel of the event channel", "close,close of the provider" })
	void aStopNamesTheCallThatIsStuck(String method, String call) {
		Duration brief = Duration.ofMillis(300);
		RdmaEndpoints registry = CheckedEndpoints.create(this.calls::provider,
				new ShutdownSettings(brief, brief, brief, brief), null);
		registry.addServer(TestSettings.server("brief", ADDRESS, 0));
		registry.start();
		this.calls.hold(method);
		registry.close();
		assertThat(registry.stuckCalls()).singleElement().asString().startsWith(call + " for ");
		this.calls.release();
		await().until(() -> registry.stuckCalls().isEmpty());
	}

	@Test
	void connectionsAreReportedThoughTheLookAtTheDevicesAfterARemovalDoesNotReturn() throws Exception {
		List<DestroyReport> reports = new CopyOnWriteArrayList<>();
		connect(1);
		this.clients.addDestroyListener(reports::add);
		this.calls.hold("rdmaGetDevices");
		this.fabric.faults().removeDevice();
		await().until(() -> this.calls.held() > 0);
		await().atMost(LIMIT.dividedBy(2))
			.untilAsserted(() -> assertThat(reports).extracting(DestroyReport::trigger)
				.containsExactly(DestroyTrigger.DEVICE_REMOVAL));
	}

	@Test
	void aDestroyThatIsHeldUpSparesWhatWasStartedMeanwhile() {
		List<RdmaServer> others = List.of(this.clients.addServer(TestSettings.server("first", ADDRESS, 0)),
				this.clients.addServer(TestSettings.server("second", ADDRESS, 0)));
		RdmaServer anew = this.clients.addServer(TestSettings.server("anew", ADDRESS, 0));
		List<DestroyTrigger> triggers = new CopyOnWriteArrayList<>();
		this.clients.addDestroyListener((report) -> {
			if (report.endpoint().equals("anew")) {
				triggers.add(report.trigger());
			}
		});
		this.clients.start();
		EndpointRuntime runtime = anew.runtime();
		// Nobody takes over meanwhile what waits behind the calls that are held.
		CountDownLatch timer = new CountDownLatch(1);
		runtime.scheduler().execute(() -> Deadline.after(LIMIT).await(timer));
		this.calls.hold("rdmaDestroyId");
		others.forEach((other) -> runtime.destroyLater(other, DestroyTrigger.DISCONNECT));
		await().until(() -> this.calls.held() == 2);
		this.calls.holdNoMore();
		runtime.destroyLater(anew, DestroyTrigger.DEVICE_REMOVAL);
		anew.destroy();
		anew.start();

		this.calls.release();
		timer.countDown();
		await().until(() -> others.stream().allMatch((other) -> other.state() == EndpointState.IDLE));
		await().during(Duration.ofMillis(500)).until(() -> anew.state() == EndpointState.UP);
		this.clients.close();

		assertThat(triggers).as("why it was destroyed").containsExactly(DestroyTrigger.MANUAL, DestroyTrigger.SHUTDOWN);
	}

	@Test
	void aStopWaitsForThoseThatHaveSubstitutes() throws Exception {
		List<RdmaConnection> connections = connect(1);
		List<DestroyReport> reports = new ArrayList<>();
		CompletableFuture<Void> stopped = new CompletableFuture<>();
		this.clients.addDestroyListener((report) -> {
			if (report.connection() != 0 && !stopped.isDone()) {
				reports.add(report);
			}
		});
		this.calls.hold("rdmaDestroyQp");
		connections.get(0).close();
		await().until(() -> this.calls.held() == 1);
		await().pollDelay(Duration.ofMillis(600)).until(() -> this.calls.held() == 1);
		this.users.execute(() -> {
			this.clients.close();
			stopped.complete(null);
		});
		await().until(() -> this.clients.find("client-0").state() == EndpointState.DESTROYING);
		this.calls.release();
		stopped.get(10, TimeUnit.SECONDS);
		assertThat(reports).singleElement()
			.satisfies((report) -> assertThat(report.result()).isEqualTo(DestroyResult.SUCCESS));
	}

}
