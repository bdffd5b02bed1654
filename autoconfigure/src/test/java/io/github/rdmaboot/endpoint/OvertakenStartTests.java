package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.github.rdmaboot.cm.CmIdState;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.ProcessorList;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import io.github.rdmaboot.verbs.CompletionMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Starts that end after the endpoint was destroyed and started again: they fail, and
 * leave the endpoint as the later start made it.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OvertakenStartTests {

	private static final String ADDRESS = "192.0.2.1";

	private static final ShutdownSettings LIMITS = new ShutdownSettings(Duration.ofSeconds(20), Duration.ofSeconds(2),
			Duration.ofSeconds(2), Duration.ofSeconds(10));

	private static final CompletionSettings PINNED = new CompletionSettings(CompletionMode.EVENT, Duration.ofMillis(1),
			IntStream.range(0, 8192).filter(ProcessorList.ofThisProcess()::contains).findFirst().orElseThrow(),
			HandlerThread.EXECUTOR);

	private final LoopbackFabric fabric = new LoopbackFabric();

	private final HeldCalls calls = new HeldCalls(new LoopbackRdmaProvider(this.fabric));

	private final RdmaEndpoints registry = TestSettings.registry(this.calls::provider, LIMITS, null);

	private final ExecutorService starters = Executors.newCachedThreadPool();

	@BeforeEach
	void addHost() throws Exception {
		this.fabric.addAddress(InetAddress.getByName(ADDRESS));
	}

	@AfterEach
	void close() {
		this.calls.release();
		this.registry.close();
		this.starters.shutdownNow();
	}

	@Test
	void aRegistryThatIsBeingStoppedRefusesToStartInPlaceOfDoingNothing() {
		this.registry.addServer(TestSettings.server("server", ADDRESS, 0));
		this.registry.start();
		this.calls.hold("rdmaDestroyId");
		CompletableFuture<?> stop = CompletableFuture.runAsync(() -> this.registry.destroyAll(DestroyTrigger.RESTART),
				this.starters);
		await().until(() -> this.calls.held() == 1);
		assertThatIllegalStateException().isThrownBy(this.registry::start).withMessageContaining("is being stopped");
		this.calls.release();
		stop.join();
		this.registry.start();
		assertThat(this.registry.isRunning()).isTrue();
	}

	@Test
	void aStartThatIsGivenUpClosesNoProviderOfTheNextOne() {
		CountDownLatch opening = new CountDownLatch(1);
		RdmaProvider provider = this.calls.provider();
		RdmaEndpoints slow = TestSettings.registry(() -> {
			await().until(() -> opening.getCount() == 0);
			return provider;
		}, LIMITS, null);
		RdmaServer server = slow.addServer(TestSettings.server("server", ADDRESS, 0));
		CompletableFuture<Void> overtaken = CompletableFuture.runAsync(slow::start, this.starters);
		await().until(() -> Thread.getAllStackTraces().keySet().stream().anyMatch(OvertakenStartTests::isOpening));
		slow.destroyAll(DestroyTrigger.RESTART);
		this.calls.hold("rdmaDestroyEventChannel");
		opening.countDown();
		await().until(() -> this.calls.held() == 1);
		assertThatIllegalStateException().isThrownBy(slow::start).withMessageContaining("is being stopped");
		this.calls.release();
		assertThat(overtaken).failsWithin(Duration.ofSeconds(10))
			.withThrowableThat()
			.withMessageContaining("was stopped while it started");
		slow.start();
		assertThat(server.destroy().result()).isEqualTo(DestroyResult.SUCCESS);
		slow.close();
	}

	private static boolean isOpening(Thread thread) {
		return thread.getName().equals("rdma-open");
	}

	@Test
	void aServerGoesOnListening() {
		this.registry.start();
		RdmaServer server = this.registry.addServer(TestSettings.server("server", ADDRESS, 0, PINNED));
		this.calls.hold("pinThread");
		CompletableFuture<Void> overtaken = CompletableFuture.runAsync(server::start, this.starters);
		await().until(() -> this.calls.held() == 1);
		assertThat(server.destroy().result()).isEqualTo(DestroyResult.SUCCESS);
		this.calls.holdNoMore();
		server.start();
		assertThat(server.state()).isEqualTo(EndpointState.UP);
		this.calls.release();
		endsWithoutAnEffect(overtaken);
		assertThat(server.state()).isEqualTo(EndpointState.UP);
		assertThat(server.cmId().state()).isEqualTo(CmIdState.LISTENING);
		assertThat(server.lastError()).isNull();
	}

	@Test
	void aServerThatIsDestroyedWhileItBeginsToListenIsNotReportedAsStarted() {
		this.registry.start();
		RdmaServer server = this.registry.addServer(TestSettings.server("server", ADDRESS, 0));
		this.calls.hold("rdmaListen");
		CompletableFuture<Void> overtaken = CompletableFuture.runAsync(server::start, this.starters);
		await().until(() -> this.calls.held() == 1);
		CompletableFuture<DestroyReport> destroy = CompletableFuture.supplyAsync(server::destroy, this.starters);
		await().until(() -> server.state() == EndpointState.DESTROYING);
		this.calls.release();
		endsWithoutAnEffect(overtaken);
		assertThat(destroy).succeedsWithin(Duration.ofSeconds(10))
			.satisfies((report) -> assertThat(report.result()).isEqualTo(DestroyResult.SUCCESS));
		assertThat(server.state()).isEqualTo(EndpointState.IDLE);
	}

	@Test
	void aClientStaysConnected() throws Exception {
		HeldTasks handlers = new HeldTasks(this.starters);
		try (RdmaEndpoints clients = TestSettings.registry(() -> new LoopbackRdmaProvider(this.fabric), LIMITS,
				handlers)) {
			RdmaServer server = this.registry.addServer(TestSettings.server("server", ADDRESS, 0));
			this.registry.start();
			clients.start();
			RdmaClient client = clients.addClient(TestSettings.client("client", ADDRESS, server.port(),
					ClientStartup.REQUIRED, TestSettings.NO_RECONNECT));
			this.calls.hold("rdmaAccept");
			CompletableFuture<Void> overtaken = CompletableFuture.runAsync(client::start, this.starters);
			await().until(() -> this.calls.held() == 1);
			handlers.hold();
			assertThat(client.destroy().result()).isEqualTo(DestroyResult.SUCCESS);
			await().until(() -> handlers.held() > 0);
			handlers.holdNoMore();
			this.calls.release();
			client.start();
			assertThat(client.state()).isEqualTo(EndpointState.UP);
			handlers.release();
			endsWithoutAnEffect(overtaken);
			assertThat(client.state()).isEqualTo(EndpointState.UP);
			assertThat(client.connection().isOpen()).isTrue();
			assertThat(client.lastError()).isNull();
		}
	}

	private static void endsWithoutAnEffect(CompletableFuture<Void> overtaken) {
		assertThat(overtaken).failsWithin(Duration.ofSeconds(10))
			.withThrowableThat()
			.withCauseInstanceOf(ConnectionClosedException.class);
	}

	/**
	 * Executor that keeps tasks back while it is told to.
	 */
	private static final class HeldTasks implements Executor {

		private final Executor executor;

		private final Queue<Runnable> held = new ConcurrentLinkedQueue<>();

		private volatile boolean holding;

		private HeldTasks(Executor executor) {
			this.executor = executor;
		}

		private void hold() {
			this.holding = true;
		}

		private void holdNoMore() {
			this.holding = false;
		}

		private int held() {
			return this.held.size();
		}

		private void release() {
			this.held.forEach(this.executor::execute);
		}

		@Override
		public void execute(Runnable task) {
			if (this.holding) {
				this.held.add(task);
			}
			else {
				this.executor.execute(task);
			}
		}

	}

}
