package io.github.rdmaboot.autoconfigure;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.github.rdmaboot.endpoint.EndpointState;
import io.github.rdmaboot.endpoint.RdmaEndpoint;
import io.github.rdmaboot.endpoint.RdmaEndpoints;
import io.github.rdmaboot.endpoint.RdmaServer;
import io.github.rdmaboot.endpoint.destroy.DestroyListener;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/**
 * Tests for {@link RdmaLifecycle}.
 */
class RdmaLifecycleTests {

	private final List<DestroyReport> reports = new CopyOnWriteArrayList<>();

	private final ApplicationContextRunner contextRunner = CheckedContexts.runner()
		.withConfiguration(AutoConfigurations.of(LifecycleAutoConfiguration.class, RdmaAutoConfiguration.class))
		.withBean(DestroyListener.class, () -> this.reports::add)
		.withPropertyValues("rdma.provider=loopback", "rdma.servers.echo.port=0");

	private final RdmaEndpoints endpoints = mock();

	private final ConfigurableApplicationContext context = mock();

	private final RdmaLifecycle lifecycle = new RdmaLifecycle(this.endpoints,
			new RdmaProperties.Lifecycle(RdmaLifecycle.DEFAULT_PHASE, true), this.context);

	@Test
	void pauseDestroysAndRestartMakesTheSameBeansAnew() {
		this.contextRunner.run((context) -> {
			RdmaServer server = context.getBean("echo", RdmaServer.class);
			long generation = server.cmId().generation();
			ConfigurableApplicationContext source = context.getSourceApplicationContext();
			source.pause();
			assertThat(server.state()).isEqualTo(EndpointState.IDLE);
			source.restart();
			assertThat(server.state()).isEqualTo(EndpointState.UP);
			assertThat(server.cmId().generation()).isGreaterThan(generation);
			assertThat(this.reports).extracting(DestroyReport::trigger).containsExactly(DestroyTrigger.RESTART);
		});
		assertThat(this.reports).extracting(DestroyReport::trigger)
			.containsExactly(DestroyTrigger.RESTART, DestroyTrigger.SHUTDOWN);
	}

	@Test
	void endpointsAreDestroyedWhenAnotherBeanFailsToStart() {
		this.contextRunner.withBean("failing", SmartLifecycle.class, FailingLifecycle::new).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(this.reports).extracting(DestroyReport::trigger).containsExactly(DestroyTrigger.FAILED_START);
		});
	}

	@Test
	@Timeout(30)
	void closingWaitsForAStopThatOutlivesThePhaseTimeout() {
		CountDownLatch stopping = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		DestroyListener slow = new DestroyListener() {

			@Override
			public void destroyStarted(String endpoint, long connection, DestroyTrigger trigger) {
				stopping.countDown();
				awaitUninterrupted(release);
			}

			@Override
			public void destroyEnded(DestroyReport report) {
			}

		};
		this.contextRunner.withBean("slow", DestroyListener.class, () -> slow)
			.withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=100ms")
			.run((context) -> {
				RdmaServer server = context.getBean("echo", RdmaServer.class);
				Thread closing = new Thread(context.getSourceApplicationContext()::close, "closing");
				closing.start();
				stopping.await();
				Awaitility.await()
					.until(() -> Arrays.stream(closing.getStackTrace())
						.anyMatch((frame) -> frame.getMethodName().equals("destroySingletons")));
				assertThat(closing.isAlive()).isTrue();
				release.countDown();
				closing.join();
				assertThat(server.state()).isEqualTo(EndpointState.IDLE);
			});
		assertThat(this.reports).hasSize(1);
	}

	@Test
	@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	void closingIsNotHeldUpByAnApplicationListenerThatBlocks() {
		CountDownLatch release = new CountDownLatch(1);
		this.contextRunner.withUserConfiguration(BlockingConfiguration.class)
			.withBean("release", CountDownLatch.class, () -> release)
			.withPropertyValues("rdma.shutdown.timeout=2s")
			.run((context) -> {
				RdmaServer server = context.getBean("echo", RdmaServer.class);
				long begin = System.nanoTime();
				context.getSourceApplicationContext().close();
				assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
				assertThat(server.state()).isEqualTo(EndpointState.IDLE);
			});
		release.countDown();
	}

	@Test
	void beansThatStopEarlierStillHaveTheirEndpoints() {
		AtomicReference<EndpointState> state = new AtomicReference<>();
		this.contextRunner.withUserConfiguration(UserConfiguration.class)
			.withBean("state", AtomicReference.class, () -> state)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(state).hasValue(EndpointState.UP);
	}

	@Test
	@Timeout(10)
	void closingAfterEverythingWasDestroyedByHandDoesNotWait() {
		this.contextRunner.run((context) -> {
			context.getBean(RdmaEndpoint.class).destroy();
			context.getBean(RdmaLifecycle.class).stop();
			context.getSourceApplicationContext().close();
		});
		assertThat(this.reports).extracting(DestroyReport::trigger).startsWith(DestroyTrigger.MANUAL);
	}

	@Test
	void callbackRunsOnceAfterTheDestroy() {
		CountDownLatch destroyed = new CountDownLatch(1);
		given(this.endpoints.destroyAll(any())).willAnswer((invocation) -> {
			destroyed.await();
			return List.of();
		});
		AtomicInteger calls = new AtomicInteger();
		this.lifecycle.stop(calls::incrementAndGet);
		assertThat(calls).hasValue(0);
		destroyed.countDown();
		Awaitility.await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> assertThat(calls).hasValue(1));
	}

	@Test
	void callbackRunsWhenTheDestroyThrowsAnError() throws InterruptedException {
		given(this.endpoints.destroyAll(any())).willThrow(new AssertionError("destroy is broken"));
		CountDownLatch called = new CountDownLatch(1);
		this.lifecycle.stop(called::countDown);
		assertThat(called.await(10, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void callbackRunsWhenNothingWasStarted() throws InterruptedException {
		given(this.endpoints.destroyAll(any())).willReturn(List.of());
		CountDownLatch called = new CountDownLatch(1);
		this.lifecycle.stop(called::countDown);
		assertThat(called.await(10, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void aClosedContextIsAShutdown() {
		given(this.context.isClosed()).willReturn(true);
		this.lifecycle.stop();
		verify(this.endpoints).destroyAll(DestroyTrigger.SHUTDOWN);
	}

	@Test
	void withoutEndpointsNothingIsStarted() {
		given(this.endpoints.endpoints()).willReturn(List.of());
		this.lifecycle.start();
		verify(this.endpoints, never()).start();
	}

	@Test
	void startsFirstAndStopsLast() {
		assertThat(this.lifecycle.getPhase()).isEqualTo(Integer.MIN_VALUE + 1024);
		assertThat(this.lifecycle.isAutoStartup()).isTrue();
		assertThat(this.lifecycle.isPauseable()).isTrue();
	}

	private static void awaitUninterrupted(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("interrupted while waiting", ex);
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class BlockingConfiguration {

		private final CountDownLatch release;

		BlockingConfiguration(CountDownLatch release) {
			this.release = release;
		}

		@EventListener
		void destroyed(DestroyReport report) {
			awaitUninterrupted(this.release);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class UserConfiguration {

		@Bean
		SmartLifecycle user(RdmaServer server, AtomicReference<EndpointState> state) {
			return new SmartLifecycle() {

				private boolean running;

				@Override
				public void start() {
					this.running = true;
				}

				@Override
				public void stop() {
					state.set(server.state());
					this.running = false;
				}

				@Override
				public boolean isRunning() {
					return this.running;
				}

			};
		}

	}

	private static final class FailingLifecycle implements SmartLifecycle {

		@Override
		public void start() {
			throw new IllegalStateException("cannot start");
		}

		@Override
		public void stop() {
			throw new IllegalStateException("was never started");
		}

		@Override
		public boolean isRunning() {
			return false;
		}

	}

}
