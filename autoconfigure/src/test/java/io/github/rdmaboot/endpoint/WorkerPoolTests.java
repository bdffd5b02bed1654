package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.rdmaboot.endpoint.destroy.Deadline;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link WorkerPool}.
 */
@Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WorkerPoolTests {

	private final WorkerPool pool = new WorkerPool("test-pool", 2);

	@Test
	void interruptDoesNotEndTheWaitAndIsKept() throws Exception {
		CountDownLatch release = new CountDownLatch(1);
		this.pool.execute(() -> awaitUninterrupted(release));
		this.pool.shutdown();
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		Thread closer = new Thread(() -> {
			Thread.currentThread().interrupt();
			this.pool.awaitEnd(Deadline.after(Duration.ofSeconds(20)), Duration.ofSeconds(20));
			interrupted.complete(Thread.currentThread().isInterrupted());
		}, "closer");
		closer.start();
		await().until(() -> closer.getState() == Thread.State.TIMED_WAITING);
		assertThat(interrupted).isNotDone();
		release.countDown();
		assertThat(interrupted.get(10, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void taskThatFindsNoThreadIsCarriedOutWhenThereIsOne() throws Exception {
		AtomicInteger made = new AtomicInteger();
		WorkerPool starving = new WorkerPool("starving-pool", 2, (thread) -> {
			if (made.incrementAndGet() <= 2) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			return thread;
		});
		ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
		try {
			CompletableFuture<Boolean> done = new CompletableFuture<>();
			assertThatNoException()
				.isThrownBy(() -> starving.execute(() -> done.complete(true), Duration.ofMillis(10), timer));
			assertThat(done.get(10, TimeUnit.SECONDS)).isTrue();
		}
		finally {
			timer.shutdown();
			starving.shutdown();
		}
	}

	@Test
	void threadOfThePoolDoesNotWaitForItsOwnEnd() throws Exception {
		CompletableFuture<Duration> waited = new CompletableFuture<>();
		this.pool.execute(() -> {
			long begin = System.nanoTime();
			this.pool.shutdown();
			this.pool.awaitEnd(Deadline.after(Duration.ofSeconds(20)), Duration.ofSeconds(20));
			waited.complete(Duration.ofNanos(System.nanoTime() - begin));
		});
		assertThat(waited.get(25, TimeUnit.SECONDS)).isLessThan(Duration.ofSeconds(10));
	}

	@Test
	void threadsThatAreLeftBehindHaveSubstitutesAndAreNotWaitedFor() throws Exception {
		CountDownLatch release = new CountDownLatch(1);
		CompletableFuture<Thread> first = new CompletableFuture<>();
		CompletableFuture<Thread> second = new CompletableFuture<>();
		for (CompletableFuture<Thread> stuck : List.of(first, second)) {
			this.pool.execute(() -> {
				stuck.complete(Thread.currentThread());
				awaitUninterrupted(release);
				WorkerPool.returned(Thread.currentThread());
			});
		}
		CompletableFuture<Boolean> behind = new CompletableFuture<>();
		WorkerPool.leaveBehind(first.get(10, TimeUnit.SECONDS));
		WorkerPool.leaveBehind(second.get(10, TimeUnit.SECONDS));
		this.pool.execute(() -> behind.complete(true));
		assertThat(behind.get(10, TimeUnit.SECONDS)).isTrue();
		this.pool.shutdown();
		long begin = System.nanoTime();
		this.pool.awaitEnd(Deadline.after(Duration.ofSeconds(20)), Duration.ofSeconds(20));
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
		release.countDown();
		first.get().join(10_000);
		second.get().join(10_000);
		assertThat(first.get().isAlive() || second.get().isAlive()).isFalse();
	}

	private static void awaitUninterrupted(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("interrupted while waiting", ex);
		}
	}

}
