package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.endpoint.destroy.DestroyLimits;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.OrderedCalls;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link StartedRuntime}: what becomes of limits and pauses when it is stopped.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StartedRuntimeTests {

	private static final Duration LIMIT = Duration.ofMillis(200);

	private static final Duration LONG = Duration.ofMinutes(1);

	/** More than any limit, and less than a test may take. */
	private static final Duration SOON = Duration.ofSeconds(10);

	private final StartedRuntime runtime = StartedRuntime.open(
			OrderedCalls.check(new LoopbackRdmaProvider(new LoopbackFabric())), MemoryPoolSettings.defaults(), null,
			LIMIT, new DestroyLimits(SOON, LIMIT, LIMIT, LIMIT), new EndpointListeners((name, step) -> {
			}));

	private final ExecutorService users = Executors.newCachedThreadPool();

	private final CountDownLatch goesOn = new CountDownLatch(1);

	private final CountDownLatch released = new CountDownLatch(1);

	private final CompletableFuture<Thread> timer = new CompletableFuture<>();

	@AfterEach
	void releaseAndClose() {
		this.goesOn.countDown();
		this.released.countDown();
		this.runtime.close(Deadline.after(SOON));
		this.users.shutdownNow();
	}

	private static void pass(CountDownLatch latch) {
		try {
			assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("interrupted while waiting", ex);
		}
	}

	// Make calls as a start does; completes when the waiting thread is told.
	private CompletableFuture<?> make(Consumer<CallWatch> calls) {
		this.runtime.scheduler().execute(() -> this.timer.complete(Thread.currentThread()));
		WatchedCalls watched = new WatchedCalls(this.runtime, this.runtime.startExecutor(), "echo", "192.0.2.1:4711");
		return CompletableFuture.runAsync(() -> watched.make("rdma_listen", calls), this.users);
	}

	// Its threads have all but the number in common.
	private boolean timerHasEnded() {
		String name = this.timer.join().getName().replaceFirst("[0-9]+$", "");
		return Thread.getAllStackTraces().keySet().stream().noneMatch((thread) -> thread.getName().startsWith(name));
	}

	private void failsInTime(CompletableFuture<?> outcome) {
		assertThat(outcome).failsWithin(SOON)
			.withThrowableThat()
			.havingRootCause()
			.isInstanceOfSatisfying(RdmaEndpointException.class, (failure) -> {
				assertThat(failure.call()).isEqualTo("rdma_listen");
				assertThat(failure.errno()).isEqualTo(Errno.ETIMEDOUT.value());
			});
	}

	@Test
	void aStopLeavesTheCallUnderWayItsLimit() {
		CountDownLatch inside = new CountDownLatch(1);
		CompletableFuture<?> outcome = make((watch) -> watch.during("rdma_listen", LIMIT, () -> {
			inside.countDown();
			pass(this.released);
		}));
		pass(inside);
		this.runtime.stopNewWork();
		failsInTime(outcome);
	}

	@Test
	void aCallThatIsBegunAfterTheStopHasItsLimitAllTheSame() {
		CountDownLatch between = new CountDownLatch(1);
		CompletableFuture<?> outcome = make((watch) -> {
			watch.during("rdma_bind_addr", LONG, () -> {
			});
			between.countDown();
			pass(this.goesOn);
			watch.during("rdma_listen", LIMIT, () -> pass(this.released));
		});
		pass(between);
		this.runtime.stopNewWork();
		this.runtime.close(Deadline.after(Duration.ZERO));
		assertThat(outcome).as("the thread is in no call when the runtime is closed").isNotDone();
		this.goesOn.countDown();
		failsInTime(outcome);
		this.released.countDown();
		await().atMost(SOON).until(this::timerHasEnded);
	}

	@Test
	void theTimerEndsWithTheRuntime() {
		assertThat(make((watch) -> watch.during("rdma_listen", LONG, () -> {
		}))).succeedsWithin(SOON);
		this.runtime.close(Deadline.after(SOON));
		await().atMost(SOON).until(this::timerHasEnded);
	}

	@Test
	void anExecutorThatTakesEverythingInAMomentIsNotSaidToBlockWhenTheTimeOfAStopIsUp() {
		Logger logger = (Logger) LoggerFactory.getLogger(HandlerExecutor.class);
		ListAppender<ILoggingEvent> log = new ListAppender<>();
		log.start();
		logger.addAppender(log);
		CountDownLatch asked = new CountDownLatch(1);
		Executor slow = (task) -> {
			asked.countDown();
			Deadline.after(Duration.ofMillis(100)).await(this.released);
		};
		try {
			StartedRuntime own = StartedRuntime.open(OrderedCalls.check(new LoopbackRdmaProvider(new LoopbackFabric())),
					MemoryPoolSettings.defaults(), slow, LIMIT, new DestroyLimits(SOON, LIMIT, LIMIT, LIMIT),
					new EndpointListeners((name, step) -> {
					}));
			own.handlerExecutor().execute(() -> {
			});
			pass(asked);
			own.close(Deadline.after(Duration.ZERO));
			assertThat(log.list).as("warnings").isEmpty();
		}
		finally {
			logger.detachAppender(log);
		}
	}

	@Test
	void nothingIsAttemptedWhenThePauseIsOverDuringAStop() {
		CountDownLatch attempted = new CountDownLatch(1);
		this.runtime.attemptLater(attempted::countDown, LIMIT);
		this.runtime.stopNewWork();
		CountDownLatch later = new CountDownLatch(1);
		this.runtime.scheduler().schedule(later::countDown, 2 * LIMIT.toMillis(), TimeUnit.MILLISECONDS);
		pass(later);
		assertThat(attempted.getCount()).as("attempts that are left").isEqualTo(1);
	}

}
