package io.github.rdmaboot.provider;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for a {@link PollingThread} that is closed by an interrupted thread.
 */
@Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InterruptedCloseTests {

	@Test
	void waitsForTheRoundAllTheSameAndKeepsTheInterrupt() throws Exception {
		CountDownLatch inRound = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		PollingThread thread = PollingThread.spinning(new LoopbackRdmaProvider(new LoopbackFabric()), Thread::new,
				(waker, millis) -> {
					inRound.countDown();
					awaitUninterrupted(release);
				});
		thread.start();
		inRound.await();
		CountDownLatch freed = new CountDownLatch(1);
		CompletableFuture<Boolean> closed = new CompletableFuture<>();
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		Thread closer = new Thread(() -> {
			Thread.currentThread().interrupt();
			closed.complete(thread.close(Duration.ofSeconds(20), freed::countDown));
			interrupted.complete(Thread.currentThread().isInterrupted());
		}, "closer");
		closer.start();
		await().until(() -> closer.getState() == Thread.State.TIMED_WAITING || closed.isDone());
		assertThat(closed).as("closed while the thread is in its round").isNotDone();
		release.countDown();
		assertThat(closed.get(10, TimeUnit.SECONDS)).isTrue();
		assertThat(interrupted.get(10, TimeUnit.SECONDS)).isTrue();
		assertThat(freed.getCount()).isZero();
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
