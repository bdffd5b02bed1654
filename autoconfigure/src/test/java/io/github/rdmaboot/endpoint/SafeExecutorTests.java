package io.github.rdmaboot.endpoint;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Executors of the application that do not take a task.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SafeExecutorTests {

	@ParameterizedTest
	@ValueSource(classes = { ThreadPoolExecutor.AbortPolicy.class, ThreadPoolExecutor.CallerRunsPolicy.class,
			ThreadPoolExecutor.DiscardPolicy.class, ThreadPoolExecutor.DiscardOldestPolicy.class })
	void aPoolThatIsShutDownLosesNoTaskWhateverItsPolicyIs(Class<?> policy) throws Exception {
		ThreadPoolExecutor pool = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
		pool.setRejectedExecutionHandler((RejectedExecutionHandler) policy.getDeclaredConstructor().newInstance());
		pool.shutdown();
		CountDownLatch run = new CountDownLatch(1);
		new SafeExecutor(pool).execute(run::countDown);
		assertThat(run.await(10, TimeUnit.SECONDS)).as("whether the task was run").isTrue();
	}

	@Test
	void anErrorOfTheExecutorLosesNoTask() throws Exception {
		CountDownLatch run = new CountDownLatch(1);
		new SafeExecutor((task) -> {
			throw new LinkageError("no such executor");
		}).execute(run::countDown);
		assertThat(run.await(10, TimeUnit.SECONDS)).as("whether the task was run").isTrue();
	}

	@Test
	void aTaskThatWasRunBeforeTheExecutorFailedIsNotRunAgain() throws Exception {
		AtomicInteger runs = new AtomicInteger();
		Executor direct = (task) -> {
			task.run();
			throw new IllegalStateException("shut down meanwhile");
		};
		CountDownLatch later = new CountDownLatch(1);
		new SafeExecutor(direct).execute(runs::incrementAndGet);
		new SafeExecutor(direct).execute(later::countDown);
		assertThat(later.await(10, TimeUnit.SECONDS)).isTrue();
		assertThat(runs).hasValue(1);
	}

}
