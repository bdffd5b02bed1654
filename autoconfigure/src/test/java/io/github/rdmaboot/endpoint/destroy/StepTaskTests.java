package io.github.rdmaboot.endpoint.destroy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StepTask}.
 */
@Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StepTaskTests {

	@Test
	void aCallThatReturnsJustWhenTheStepIsLeftBehindIsNotGivenUp() throws Exception {
		AtomicBoolean givenUp = new AtomicBoolean();
		CallInProgress call = new CallInProgress(() -> givenUp.set(true));
		AtomicInteger asked = new AtomicInteger();
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch released = new CountDownLatch(1);
		StepTask task = new StepTask(DestroyStepName.QUIESCE, "endpoint", new DestroyStep() {

			@Override
			public boolean run(Deadline deadline) {
				begun.countDown();
				return Deadline.after(Duration.ofSeconds(20)).await(released);
			}

			@Override
			public CallInProgress awaited() {
				return (asked.getAndIncrement() == 0) ? call : null;
			}

		}, Deadline.after(Duration.ofSeconds(20)), StepClock.start(), (report) -> {
		});
		Thread thread = new Thread(task, "step");
		thread.start();
		assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
		StepReport report = task.conclude();
		released.countDown();
		thread.join();
		assertThat(givenUp).isFalse();
		assertThat(report.outcome()).isEqualTo(StepOutcome.TIMEOUT);
		assertThat(report.detail()).contains("goes on in the background");
	}

}
