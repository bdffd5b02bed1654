package io.github.rdmaboot.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.endpoint.RdmaClient;
import io.github.rdmaboot.endpoint.RdmaEndpoints;
import io.github.rdmaboot.endpoint.destroy.DestroyListener;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.jna.Footprint;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Application contexts whose start fails because of another bean, on the kernel.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailedStartIT {

	private final ApplicationContextRunner runner = CheckedContexts.runner()
		.withConfiguration(AutoConfigurations.of(RdmaAutoConfiguration.class))
		.withPropertyValues("rdma.servers.echo.address=192.0.2.1", "rdma.servers.echo.port=7484",
				"rdma.clients.caller.address=192.0.2.1", "rdma.clients.caller.port=7484",
				"rdma.clients.caller.startup=required");

	private Footprint before = new Footprint("", 0, 0);

	@BeforeEach
	void openDevice() {
		this.runner.run((context) -> assertThat(context).hasNotFailed());
		this.before = Footprint.now();
	}

	@Test
	void constructorOfAnotherBeanThatThrowsLeavesNothing() {
		this.runner.withBean(RefusingToBeMade.class).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).hasRootCauseMessage("refusing while the caller is IDLE");
		});
		leavesNothing();
	}

	@Test
	void constructorThatStartedTheEndpointsAndThrowsHasThemDestroyed() {
		this.runner.withBean(RefusingAfterStart.class).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(context.getStartupFailure()).hasRootCauseMessage("refusing while the caller is UP");
		});
		leavesNothing();
	}

	@Test
	void lifecycleOfAnotherBeanThatThrowsHasConnectedEndpointsDestroyed() {
		List<DestroyTrigger> triggers = new CopyOnWriteArrayList<>();
		this.runner.withBean(DestroyListener.class, () -> (report) -> triggers.add(report.trigger()))
			.withBean(RefusingToStart.class)
			.run((context) -> {
				assertThat(context).hasFailed();
				assertThat(context.getStartupFailure()).hasRootCauseMessage("refusing while the caller is UP");
			});
		assertThat(triggers).as("triggers of the destroys").hasSize(2).containsOnly(DestroyTrigger.FAILED_START);
		leavesNothing();
	}

	private void leavesNothing() {
		this.before.awaitNothingMore(Duration.ofSeconds(15), "the destroy");
	}

	private static IllegalStateException refusal(RdmaClient caller) {
		return new IllegalStateException("refusing while the caller is " + caller.state());
	}

	static class RefusingToBeMade {

		RefusingToBeMade(RdmaClient caller) {
			throw refusal(caller);
		}

	}

	static class RefusingAfterStart {

		RefusingAfterStart(RdmaEndpoints endpoints, RdmaClient caller) {
			endpoints.start();
			throw refusal(caller);
		}

	}

	static class RefusingToStart implements SmartLifecycle {

		private final RdmaClient caller;

		RefusingToStart(RdmaClient caller) {
			this.caller = caller;
		}

		@Override
		public void start() {
			throw refusal(this.caller);
		}

		@Override
		public void stop() {
		}

		@Override
		public boolean isRunning() {
			return false;
		}

	}

}
