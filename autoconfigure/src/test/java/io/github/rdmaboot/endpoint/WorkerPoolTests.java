package io.github.rdmaboot.endpoint;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.rdmaboot.endpoint.destroy.Deadline;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link WorkerPool}.
 */
@Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WorkerPoolTests {

	private final WorkerPool pool = new WorkerPool("test-pool", 2);

	private final Logger logger = (Logger) LoggerFactory.getLogger(WorkerPool.class);

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	@BeforeEach
	void readTheLog() {
		this.log.start();
		this.logger.addAppender(this.log);
	}

	@AfterEach
	void readTheLogNoMore() {
		this.logger.detachAppender(this.log);
	}

	private List<String> warnings() {
		return this.log.list.stream()
			.filter((event) -> event.getLevel() == Level.WARN)
			.map(ILoggingEvent::getFormattedMessage)
			.toList();
	}

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
	void aShortageOfThreadsIsWarnedOfOnceHoweverManyTasksFindNone() throws Exception {
		int tasks = 100;
		AtomicInteger refused = new AtomicInteger();
		AtomicBoolean none = new AtomicBoolean(true);
		WorkerPool starving = new WorkerPool("starving-pool", 2, (thread) -> {
			if (none.get()) {
				refused.incrementAndGet();
				throw new OutOfMemoryError("unable to create native thread");
			}
			return thread;
		});
		ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
		try {
			AtomicInteger done = new AtomicInteger();
			for (int i = 0; i < tasks; i++) {
				starving.execute(done::incrementAndGet, Duration.ofMillis(10), timer);
			}
			await().until(() -> refused.get() >= 3 * tasks);
			none.set(false);
			await().until(() -> done.get() == tasks);
			assertThat(warnings()).singleElement(as(InstanceOfAssertFactories.STRING))
				.contains("No thread 'starving-pool'");
		}
		finally {
			timer.shutdown();
			starving.shutdown();
		}
	}

	@Test
	void aTaskThatWasKeptThoughThereWasNoThreadIsCarriedOutOnce() throws Exception {
		AtomicBoolean none = new AtomicBoolean(true);
		WorkerPool starving = new WorkerPool("starving-pool", 2, (thread) -> {
			if (none.getAndSet(false)) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			return thread;
		});
		ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
		try {
			AtomicInteger done = new AtomicInteger();
			List<Runnable> retries = new ArrayList<>();
			starving.execute(done::incrementAndGet, Duration.ofMillis(10), recording(timer, retries));
			assertThat(retries).hasSize(1);
			retries.get(0).run();
			retries.get(0).run();
			starving.shutdown();
			starving.awaitEnd(Deadline.after(Duration.ofSeconds(20)), Duration.ofSeconds(20));
			assertThat(done).as("how often it was carried out").hasValue(1);
		}
		finally {
			timer.shutdown();
		}
	}

	// The timer, which keeps the first of what it is given for the caller.
	private static ScheduledExecutorService recording(ScheduledExecutorService timer, List<Runnable> kept) {
		return (ScheduledExecutorService) Proxy.newProxyInstance(ScheduledExecutorService.class.getClassLoader(),
				new Class<?>[] { ScheduledExecutorService.class }, (proxy, method, arguments) -> {
					if (method.getName().equals("schedule") && kept.isEmpty()) {
						kept.add((Runnable) arguments[0]);
						return timer.schedule(() -> {
						}, 0, TimeUnit.SECONDS);
					}
					return method.invoke(timer, arguments);
				});
	}

	@Test
	void aThreadThatHasJustWaitedForListenersIsNotSaidToBeInsideACall() throws Exception {
		CountDownLatch leave = new CountDownLatch(1);
		CountDownLatch end = new CountDownLatch(1);
		CompletableFuture<Boolean> waits = new CompletableFuture<>();
		CompletableFuture<Boolean> left = new CompletableFuture<>();
		CallWatch watch = new CallWatch(null, Runnable::run, "endpoint", "address", (failure) -> {
		});
		this.pool.execute(() -> {
			WorkerPool.watch(Thread.currentThread(), watch);
			WorkerPool.waitsForListeners(true);
			waits.complete(true);
			awaitUninterrupted(leave);
			WorkerPool.waitsForListeners(false);
			left.complete(true);
			awaitUninterrupted(end);
		});
		waits.get(10, TimeUnit.SECONDS);
		this.pool.shutdown();
		Thread closer = new Thread(
				() -> this.pool.awaitEnd(Deadline.after(Duration.ofSeconds(20)), Duration.ofSeconds(20)), "closer");
		// The wait is over, and what comes next is to look at the calls of all threads.
		synchronized (watch) {
			closer.start();
			await().until(() -> closer.getState() == Thread.State.BLOCKED);
			leave.countDown();
			left.get(10, TimeUnit.SECONDS);
		}
		closer.join(10_000);
		assertThat(closer.isAlive()).as("whether the wait goes on").isFalse();
		end.countDown();
		assertThat(warnings()).isEmpty();
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
		assertThat(warnings()).singleElement(as(InstanceOfAssertFactories.STRING)).contains("still inside a call");
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
