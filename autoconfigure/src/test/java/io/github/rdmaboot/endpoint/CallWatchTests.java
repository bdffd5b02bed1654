package io.github.rdmaboot.endpoint;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.github.rdmaboot.endpoint.destroy.CallInProgress;
import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.endpoint.destroy.DestroyGroup;
import io.github.rdmaboot.endpoint.destroy.DestroyLimits;
import io.github.rdmaboot.endpoint.destroy.DestroyMember;
import io.github.rdmaboot.endpoint.destroy.DestroyStep;
import io.github.rdmaboot.endpoint.destroy.DestroyStepName;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.endpoint.destroy.OrderlyDestroy;
import io.github.rdmaboot.provider.CmIdOption;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CallWatch}.
 */
@Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CallWatchTests {

	private static final Duration LONG = Duration.ofMinutes(1);

	private final WorkerPool pool = new WorkerPool("test-pool", 1);

	private final ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1);

	private final EndpointRuntime runtime = (EndpointRuntime) Proxy.newProxyInstance(
			EndpointRuntime.class.getClassLoader(), new Class<?>[] { EndpointRuntime.class },
			(proxy, method, arguments) -> {
				assertThat(method.getName()).isEqualTo("scheduler");
				return this.scheduler;
			});

	private final List<String> told = new CopyOnWriteArrayList<>();

	private final CountDownLatch released = new CountDownLatch(1);

	@AfterEach
	void release() {
		this.released.countDown();
		this.pool.shutdown();
		this.scheduler.shutdownNow();
	}

	// The listener is called on the thread that gives up, so that it needs no thread of
	// the pool.
	private CallWatch watch(String endpoint) {
		return new CallWatch(this.runtime, Runnable::run, endpoint, "address",
				(failure) -> this.told.add(endpoint + ": " + failure.getMessage()));
	}

	private static void await(CountDownLatch latch) {
		try {
			assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("interrupted while waiting", ex);
		}
	}

	@Test
	void aSecondStuckCallOfAnAttemptIsLeftBehindTooAndNobodyIsToldAgain() throws Exception {
		CallWatch watch = watch("endpoint");
		CompletableFuture<Thread> first = new CompletableFuture<>();
		CountDownLatch firstReturns = new CountDownLatch(1);
		CompletableFuture<Thread> second = new CompletableFuture<>();
		this.pool.execute(() -> {
			watch.watch("rdma_join_multicast", "joining", LONG, () -> {
				first.complete(Thread.currentThread());
				await(firstReturns);
			});
			watch.watch("rdma_leave_multicast", "leaving", LONG, () -> {
				second.complete(Thread.currentThread());
				await(this.released);
			});
		});
		CallWatch.giveUp(first.get(10, TimeUnit.SECONDS), Duration.ZERO);
		assertThat(this.told).singleElement().asString().contains("joining did not return");
		firstReturns.countDown();
		CallWatch.giveUp(second.get(10, TimeUnit.SECONDS), Duration.ZERO);
		CompletableFuture<Boolean> behind = new CompletableFuture<>();
		this.pool.execute(() -> behind.complete(true));
		assertThat(behind.get(10, TimeUnit.SECONDS)).as("carried out by a substitute").isTrue();
		assertThat(this.told).hasSize(1);
		assertThat(watch.isOverdue()).isTrue();
	}

	@Test
	void theFailureNamesTheCallThatIsStuckAndNotTheOneAfterIt() throws Exception {
		HeldCalls calls = new HeldCalls(new LoopbackRdmaProvider(new LoopbackFabric()));
		calls.hold("rdmaSetOption");
		CompletableFuture<Thread> thread = new CompletableFuture<>();
		this.pool.execute(() -> watch("endpoint").watch("rdma_resolve_addr", "rdma_resolve_addr", LONG, () -> {
			thread.complete(Thread.currentThread());
			calls.provider().rdmaSetOption(0, CmIdOption.TOS, 0);
		}));
		thread.get(10, TimeUnit.SECONDS);
		Awaitility.await().until(() -> calls.held() == 1);
		CallWatch.giveUp(thread.join(), Duration.ZERO);
		assertThat(this.told).singleElement().asString().contains("rdma_set_option did not return");
	}

	@Test
	void theEndOfAPoolLeavesBehindTheCallsThatNoTimerLimitsHoweverLittleTimeIsLeft() throws Exception {
		CountDownLatch inside = new CountDownLatch(1);
		this.pool.execute(() -> watch("endpoint").watch("rdma_connect", "asking", LONG, () -> {
			inside.countDown();
			await(this.released);
		}));
		await(inside);
		this.scheduler.shutdownNow();
		this.pool.shutdown();
		this.pool.awaitEnd(Deadline.after(Duration.ZERO), LONG);
		assertThat(this.told).singleElement().asString().contains("asking did not return");
	}

	@Test
	void aDestroyThatGivesUpACallLateFailsNoCallThatItsThreadMakesLater() throws Exception {
		SetupGate gate = new SetupGate(() -> new ConnectionClosedException("closed", null));
		CompletableFuture<CallInProgress> call = new CompletableFuture<>();
		CountDownLatch later = new CountDownLatch(1);
		this.pool.execute(() -> {
			watch("destroyed").watch("rdma_listen", "listening", LONG,
					() -> gate.pass(() -> call.complete(gate.closing(() -> {
					}).awaited())));
			watch("other").watch("rdma_connect", "connecting", LONG, () -> {
				later.countDown();
				await(this.released);
			});
		});
		await(later);
		assertThat(call.get(10, TimeUnit.SECONDS)).isNotNull();
		Duration limit = Duration.ofMillis(1);
		DestroyMember member = new DestroyMember("destroyed", false, Map.of(DestroyStepName.QUIESCE, new DestroyStep() {

			@Override
			public boolean run(Deadline deadline) {
				await(CallWatchTests.this.released);
				return true;
			}

			@Override
			public CallInProgress awaited() {
				return call.join();
			}

		}));
		String line = new OrderlyDestroy(new DestroyLimits(LONG, limit, limit, limit), (ended) -> {
		}).run(List.of(new DestroyGroup("destroyed", 0, List.of(member))), DestroyTrigger.SHUTDOWN).get(0).toLine();
		assertThat(line).contains("left behind");
		assertThat(this.told).isEmpty();
	}

	@Test
	void exchangesThatAreGivenUpFailNoCallThatTheirThreadsMakeLater() throws Exception {
		Exchanges exchanges = new Exchanges();
		List<Exchange> both = Stream.generate(() -> new Exchange(exchanges)).limit(2).toList();
		for (int i = 0; i < both.size(); i++) {
			Exchange other = both.get(1 - i);
			WorkerPool pool = new WorkerPool("test-exchange", 1);
			Exchange exchange = both.get(i);
			pool.execute(() -> exchange.run(other));
			pool.shutdown();
		}
		both.forEach((exchange) -> await(exchange.inside));
		exchanges.giveUp();
		both.forEach((exchange) -> exchange.returns.countDown());
		assertThat(this.told).as("other endpoints").isEmpty();
	}

	/**
	 * Exchange whose thread, when the other one is given up, goes on to a call of another
	 * endpoint.
	 */
	private final class Exchange {

		private final Exchanges exchanges;

		private final CountDownLatch inside = new CountDownLatch(1);

		private final CountDownLatch returns = new CountDownLatch(1);

		private final CountDownLatch later = new CountDownLatch(1);

		private Exchange(Exchanges exchanges) {
			this.exchanges = exchanges;
		}

		private void run(Exchange other) {
			assertThat(this.exchanges.begin()).isTrue();
			this.exchanges.enter();
			new CallWatch(CallWatchTests.this.runtime, Runnable::run, "asker", "address", (failure) -> {
				other.returns.countDown();
				await(other.later);
			}).watch("rdma_connect", "asking", LONG, () -> {
				this.inside.countDown();
				await(this.returns);
			});
			this.exchanges.end();
			watch("other").watch("rdma_connect", "connecting", LONG, () -> {
				this.later.countDown();
				await(CallWatchTests.this.released);
			});
		}

	}

}
