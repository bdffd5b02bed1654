package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Executors of an application that block instead of taking a task, as those do whose
 * queue is bounded and which wait for space.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HandlerExecutorsThatBlockTests {

	private static final ShutdownSettings LIMITS = new ShutdownSettings(Duration.ofSeconds(20), Duration.ofSeconds(1),
			Duration.ofSeconds(1), Duration.ofSeconds(1));

	private static final Duration QUICK = Duration.ofSeconds(5);

	private final LoopbackFabric fabric = LoopbackFabrics.with("192.0.2.1");

	private final RdmaEndpoints registry = TestSettings.registry(() -> new LoopbackRdmaProvider(this.fabric), LIMITS,
			this::execute);

	private final CountDownLatch release = new CountDownLatch(1);

	private volatile boolean full;

	private RdmaServer server;

	@BeforeEach
	void startServer() {
		this.server = this.registry.addServer(TestSettings.server("server", "192.0.2.1", 0));
		this.registry.start();
	}

	@AfterEach
	void close() {
		this.release.countDown();
		this.registry.close();
	}

	private void execute(Runnable task) {
		if (this.full) {
			Deadline.after(Duration.ofSeconds(50)).await(this.release);
		}
		new Thread(task).start();
	}

	private RdmaClient startedClient(String name) {
		RdmaClient client = this.registry.addClient(TestSettings.client(name, "192.0.2.1", this.server.port(),
				ClientStartup.BACKGROUND, TestSettings.NO_RECONNECT));
		client.start();
		return client;
	}

	private static Duration durationOf(Runnable task) {
		long begin = System.nanoTime();
		task.run();
		return Duration.ofNanos(System.nanoTime() - begin);
	}

	@Test
	void clientsConnectMeanwhile() {
		this.full = true;

		RdmaClient first = startedClient("first");
		RdmaClient second = startedClient("second");

		await().atMost(QUICK).until(() -> first.state() == EndpointState.UP && second.state() == EndpointState.UP);
		assertThat(durationOf(this.registry::close)).as("what the stop took").isLessThan(QUICK);
		assertThat(this.fabric.resources().toString()).as("what exists on the fabric")
			.isEqualTo(new LoopbackFabric().resources().toString());
	}

	@Test
	void theStateOfAClientThatIsDestroyedWhileItConnectsIsKnown() {
		RdmaClient client = startedClient("client");
		await().until(() -> client.state() == EndpointState.UP);
		client.destroy();
		this.fabric.faults().partition(TestSettings.literal("192.0.2.1"), TestSettings.literal("192.0.2.1"));
		client.start();
		CompletableFuture<RdmaConnection> waiting = client.connect();
		this.full = true;

		assertThat(durationOf(client::destroy)).as("what the destroy took").isLessThan(QUICK);

		assertThat(client.state()).isEqualTo(EndpointState.IDLE);
		this.release.countDown();
		await().untilAsserted(() -> assertThat(waiting).isCompletedExceptionally());
	}

	@Test
	void connectionsOnWhichSomebodyWaitsForMessagesAreDestroyed() {
		startedClient("client");
		await().until(() -> this.server.connections().size() == 1);
		CompletableFuture<?> untold = this.server.connections().iterator().next().receive();
		this.full = true;

		assertThat(durationOf(() -> assertThat(this.server.destroy().result()).isEqualTo(DestroyResult.SUCCESS)))
			.as("what the destroy took")
			.isLessThan(QUICK);

		this.release.countDown();
		await().until(untold::isDone);
	}

}
