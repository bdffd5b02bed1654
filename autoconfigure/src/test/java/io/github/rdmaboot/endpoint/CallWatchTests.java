package io.github.rdmaboot.endpoint;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.endpoint.destroy.Deadline;
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
		CallWatch.giveUp(first.get(10, TimeUnit.SECONDS));
		assertThat(this.told).singleElement().asString().contains("joining did not return");
		firstReturns.countDown();
		CallWatch.giveUp(second.get(10, TimeUnit.SECONDS));
		CompletableFuture<Boolean> behind = new CompletableFuture<>();
		this.pool.execute(() -> behind.complete(true));
		assertThat(behind.get(10, TimeUnit.SECONDS)).as("carried out by a substitute").isTrue();
		assertThat(this.told).hasSize(1);
		assertThat(watch.isOverdue()).isTrue();
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

}
