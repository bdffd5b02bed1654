package io.github.rdmaboot.endpoint.destroy;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.rdmaboot.provider.RdmaProvider;
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

	@Test
	void anErrorThatIsThrownInACallIsReportedWithTheFunctionThatWasToBeCalled() {
		RdmaProvider provider = (RdmaProvider) Proxy.newProxyInstance(RdmaProvider.class.getClassLoader(),
				new Class<?>[] { RdmaProvider.class }, (proxy, method, arguments) -> {
					throw new LinkageError(method.getName() + " cannot be called");
				});
		StepReport report = StepTask.runNow(DestroyStepName.RELEASE_DEVICE, "echo#1", (deadline) -> {
			provider.ibvDestroyCompChannel(1);
			return true;
		});
		assertThat(report.outcome()).isEqualTo(StepOutcome.FAILURE);
		assertThat(report.call()).isEqualTo("ibv_destroy_comp_channel");
		assertThat(report.detail()).contains("ibvDestroyCompChannel cannot be called");
	}

	@Test
	void anErrorOutsideOfCallsIsReportedWithoutAFunction() {
		StepReport report = StepTask.runNow(DestroyStepName.QUIESCE, "echo#1", (deadline) -> {
			throw new IllegalStateException("not now");
		});
		assertThat(report.outcome()).isEqualTo(StepOutcome.FAILURE);
		assertThat(report.call()).isEmpty();
	}

}
