package io.github.rdmaboot.endpoint;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.rdmaboot.provider.CompletionStatus;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.OrderedCalls;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.WorkCompletion;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import io.github.rdmaboot.verbs.CompletionMode;
import io.github.rdmaboot.verbs.CompletionPolicy;
import io.github.rdmaboot.verbs.DeviceLease;
import io.github.rdmaboot.verbs.Devices;
import io.github.rdmaboot.verbs.MemoryBlock;
import io.github.rdmaboot.verbs.MemoryPoolLimits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Completions of a receive queue that connections share: how large their queue is, whose
 * they are, and what becomes of those that nobody is there for.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SharedCompletionsTests {

	private static final int SHARED = 512;

	private static final int CONNECTIONS = 50;

	private static final CompletionPolicy POLICY = new CompletionPolicy(CompletionMode.EVENT, Duration.ZERO, null);

	private final LoopbackFabric fabric = LoopbackFabrics.with("192.0.2.1");

	/** Entries of each completion queue that was made. */
	private final List<Integer> entries = Collections.synchronizedList(new ArrayList<>());

	private final EndpointStatistics statistics = new EndpointStatistics();

	private final List<Integer> reposted = new ArrayList<>();

	private final AtomicInteger failures = new AtomicInteger();

	private final List<Hold> holds = new ArrayList<>();

	private volatile Runnable beforePoll = () -> {
	};

	private DeviceLease device;

	private MemoryBlock memory;

	private SharedCompletions completions;

	@BeforeEach
	void create() {
		RdmaProvider provider = openProvider();
		this.device = new Devices(provider, "test", new MemoryPoolLimits(4096, 4096, 64))
			.acquire(provider.rdmaGetDevices().handles()[0]);
		this.memory = this.device.device().memoryPool().allocate(2 * 64);
		ReceiveBuffers buffers = new ReceiveBuffers(this.memory, 64, HeaderForm.NONE, 2, (request) -> {
			this.reposted.add((int) request.wrId);
			return 0;
		}, new OutstandingRequests(), true);
		this.completions = new SharedCompletions(this.device.device(), POLICY, buffers, this.statistics,
				() -> this.failures.incrementAndGet());
	}

	@AfterEach
	void close() {
		this.holds.forEach((hold) -> hold.mayReturn.countDown());
		this.completions.queue().close();
		this.memory.release();
		this.device.release();
	}

	private RdmaProvider openProvider() {
		RdmaProvider provider = OrderedCalls.check(new LoopbackRdmaProvider(this.fabric));
		return (RdmaProvider) Proxy.newProxyInstance(RdmaProvider.class.getClassLoader(),
				new Class<?>[] { RdmaProvider.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("ibvCreateCq")) {
						this.entries.add((Integer) arguments[1]);
					}
					if (method.getName().equals("ibvPollCq")) {
						this.beforePoll.run();
					}
					try {
						return method.invoke(provider, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	private static WorkCompletion completion(int qpNum, int slot) {
		WorkCompletion completion = new WorkCompletion();
		completion.qpNum = qpNum;
		completion.wrId = slot;
		completion.status = CompletionStatus.SUCCESS.value();
		return completion;
	}

	private static ConnectionCompletions recording(List<Integer> slots) {
		return new ConnectionCompletions(null, null, null) {

			@Override
			public void onCompletion(WorkCompletion completion) {
				slots.add((int) completion.wrId);
			}

		};
	}

	@Test
	void idleConnectionCostsNoCompletionQueueOfTheSizeOfTheSharedReceiveQueue() throws Exception {
		RdmaEndpoints servers = CheckedEndpoints.create(this::openProvider, ShutdownSettings.defaults(), null);
		RdmaEndpoints clients = CheckedEndpoints.create(() -> new LoopbackRdmaProvider(this.fabric),
				ShutdownSettings.defaults(), null);
		try {
			RdmaServer server = servers.addServer(new ServerSettings("server", "192.0.2.1", 0, 0,
					TestSettings.QUEUE_PAIR, TestSettings.CONNECTION, new MemorySettings(64, 8),
					CompletionSettings.defaults(), ReconnectSettings.defaults(), SHARED));
			servers.start();
			clients.start();
			this.entries.clear();
			for (int i = 0; i < 20; i++) {
				RdmaClient client = clients.addClient(TestSettings.client("client-" + i, "192.0.2.1", server.port(),
						ClientStartup.BACKGROUND, TestSettings.NO_RECONNECT));
				client.start();
				client.connect().get(20, TimeUnit.SECONDS);
			}
			await().until(() -> server.connections().size() == 20);
			assertThat(this.entries).hasSize(21)
				.contains(SHARED)
				.filteredOn((size) -> size != SHARED)
				.containsOnly(TestSettings.QUEUE_PAIR.maxSendWr());
		}
		finally {
			clients.close();
			servers.close();
		}
	}

	@Test
	void completionGoesToTheConnectionWithTheNumber() {
		List<Integer> first = new ArrayList<>();
		List<Integer> second = new ArrayList<>();
		this.completions.add(70_000, recording(first));
		this.completions.add(17, recording(second));
		this.completions.onCompletion(completion(70_000, 0));
		this.completions.onCompletion(completion(17, 1));
		assertThat(first).containsExactly(0);
		assertThat(second).containsExactly(1);
		assertThat(this.reposted).isEmpty();
	}

	@Test
	void bufferOfAConnectionThatIsGoneIsPostedAgainAndCounted() {
		ConnectionCompletions gone = recording(new ArrayList<>());
		this.completions.add(17, gone);
		this.completions.remove(17, gone);
		this.completions.onCompletion(completion(17, 1));
		assertThat(this.reposted).containsExactly(1);
		assertThat(this.statistics.receivesReturned()).isEqualTo(1);
	}

	@Test
	void connectionThatLeftWhileAHandlerHeldTheQueueIsLetGoOfWhenAnotherLeaves() throws Exception {
		List<Integer> late = new ArrayList<>();
		ConnectionCompletions held = recording(late);
		ConnectionCompletions other = recording(new ArrayList<>());
		this.completions.add(17, held);
		this.completions.add(18, other);
		Hold hold = new Hold();
		this.completions.remove(17, held);
		hold.end();
		this.completions.remove(18, other);
		this.completions.onCompletion(completion(17, 1));
		assertThat(late).isEmpty();
		assertThat(this.reposted).containsExactly(1);
	}

	@Test
	void connectionsWaitForAHandlerThatHoldsTheQueueTogetherAndForTheNextOneAgain() throws Exception {
		List<ConnectionCompletions> connections = new ArrayList<>();
		for (int i = 0; i < CONNECTIONS; i++) {
			connections.add(recording(new ArrayList<>()));
			this.completions.add(i + 1, connections.get(i));
		}
		Hold first = new Hold();
		assertThat(durationOf(() -> {
			connections.forEach((each) -> assertThat(this.completions.readAll()).isFalse());
			for (int i = 0; i < CONNECTIONS; i++) {
				this.completions.remove(i + 1, connections.get(i));
			}
		})).as("wait of all connections").isBetween(Duration.ofMillis(200), Duration.ofSeconds(1));
		first.end();
		assertThat(this.completions.readAll()).as("read afterwards").isTrue();

		Hold second = new Hold();
		assertThat(durationOf(this.completions::readAll)).as("wait for the next handler")
			.isGreaterThanOrEqualTo(Duration.ofMillis(200));
		second.end();
		this.completions.read();

		Hold third = new Hold();
		assertThat(durationOf(this.completions::readAll)).as("wait after somebody has only looked")
			.isGreaterThanOrEqualTo(Duration.ofMillis(200));
		third.end();
	}

	private static Duration durationOf(Runnable task) {
		long begin = System.nanoTime();
		task.run();
		return Duration.ofNanos(System.nanoTime() - begin);
	}

	@Test
	void numberIsTakenOverWhenAllCompletionsOfTheOneBeforeWereRead() {
		List<Integer> before = new ArrayList<>();
		List<Integer> after = new ArrayList<>();
		this.completions.add(17, recording(before));
		this.completions.add(17, recording(after));
		this.completions.onCompletion(completion(17, 1));
		assertThat(before).isEmpty();
		assertThat(after).containsExactly(1);
	}

	@Test
	void connectionThatLeavesLateKeepsTheOneThatHasItsNumberNow() {
		List<Integer> after = new ArrayList<>();
		ConnectionCompletions before = recording(new ArrayList<>());
		this.completions.add(17, before);
		this.completions.add(17, recording(after));
		this.completions.remove(17, before);
		this.completions.onCompletion(completion(17, 1));
		assertThat(after).containsExactly(1);
		assertThat(this.reposted).isEmpty();
	}

	@Test
	void connectionThatComesWhenNoCompletionsAreTakenAnyMoreIsToldToo() {
		RuntimeException error = new RdmaException("ibv_poll_cq", Errno.EIO.value());
		List<RuntimeException> told = new ArrayList<>();
		this.completions.add(17, failing(told));
		this.completions.failed(error);
		assertThat(told).containsExactly(error);
		assertThat(this.failures).hasValue(1);
		this.completions.add(18, failing(told));
		assertThat(told).containsExactly(error, error);
	}

	private static ConnectionCompletions failing(List<RuntimeException> told) {
		return new ConnectionCompletions(null, null, null) {

			@Override
			void queueFailed(RuntimeException error) {
				told.add(error);
			}

		};
	}

	@Test
	void queueWhoseCompletionsAreNotTakenAnyMoreIsJoinedByNobody() {
		RdmaProvider provider = openProvider();
		Devices devices = new Devices(provider, "test", new MemoryPoolLimits(4096, 4096, 64));
		long context = provider.rdmaGetDevices().handles()[0];
		SharedReceives receives = new SharedReceives(4, new MemorySettings(64, 4), POLICY, this.statistics);
		SharedReceives.Shared broken = receives.join(devices, context);
		broken.completions().failed(new RdmaException("ibv_poll_cq", Errno.EIO.value()));
		SharedReceives.Shared second = receives.join(devices, context);
		SharedReceives.Shared third = receives.join(devices, context);
		assertThat(second).isNotSameAs(broken).isSameAs(third);
		for (SharedReceives.Shared joined : List.of(broken, second, third)) {
			joined.leave();
			joined.release();
		}
		assertThat(this.statistics.registeredBytes()).isZero();
	}

	@Test
	void tableFindsWhatItHasInAnyOrder() {
		QueuePairTable table = new QueuePairTable();
		List<ConnectionCompletions> added = new ArrayList<>();
		int[] numbers = { 5, 0xffffff, 1, 70_000, 3, 2 };
		for (int number : numbers) {
			ConnectionCompletions connection = recording(new ArrayList<>());
			added.add(connection);
			assertThat(table.add(number, connection)).isTrue();
			assertThat(table.add(number, connection)).as("a second time").isFalse();
		}
		table.removeAny(1);
		table.removeAny(4);
		table.remove(5, added.get(1));
		for (int i = 0; i < numbers.length; i++) {
			assertThat(table.find(numbers[i])).as("number %d", numbers[i])
				.isSameAs((numbers[i] == 1) ? null : added.get(i));
		}
		List<ConnectionCompletions> all = new ArrayList<>();
		table.forEach(all::add);
		assertThat(all).hasSize(numbers.length - 1);
	}

	/**
	 * A thread that is inside the queue, where nobody else gets in meanwhile.
	 */
	private final class Hold {

		private final CountDownLatch holding = new CountDownLatch(1);

		private final CountDownLatch mayReturn = new CountDownLatch(1);

		private final Thread holder = new Thread(SharedCompletionsTests.this.completions.queue()::poll, "holder");

		private Hold() throws InterruptedException {
			SharedCompletionsTests.this.holds.add(this);
			SharedCompletionsTests.this.beforePoll = () -> {
				this.holding.countDown();
				awaitQuietly();
			};
			this.holder.setDaemon(true);
			this.holder.start();
			assertThat(this.holding.await(20, TimeUnit.SECONDS)).as("queue is held").isTrue();
		}

		private void awaitQuietly() {
			try {
				this.mayReturn.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		private void end() throws InterruptedException {
			this.mayReturn.countDown();
			this.holder.join();
		}

	}

}
