package io.github.rdmaboot.autoconfigure.metrics;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

import io.github.rdmaboot.endpoint.destroy.DestroyListener;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContextException;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.context.support.GenericApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ExportOnShutdown}.
 */
@Timeout(60)
class ExportOnShutdownTests {

	private static final String DESTROYED = "echo shutdown success 1";

	private final RecordingStepRegistry registry = new RecordingStepRegistry();

	private final AtomicReference<Boolean> closedWhenStopsBegin = new AtomicReference<>();

	@Test
	void theLastPublishHasTheDestroy() {
		application(this.registry).run().close();
		assertThat(this.registry.published()).containsExactly(List.of(DESTROYED));
		assertThat(this.closedWhenStopsBegin).hasValue(false);
		assertThat(this.registry.isClosed()).isTrue();
	}

	@Test
	void aPushRegistryInsideACompositeIsFound() {
		CompositeMeterRegistry composite = new CompositeMeterRegistry();
		composite.add(new CompositeMeterRegistry().add(this.registry));
		application(composite).run().close();
		assertThat(this.registry.published()).containsExactly(List.of(DESTROYED));
	}

	@Test
	void withoutAPushRegistryRegistriesAreClosedBeforeStopsBegin() {
		MeterRegistry simple = new SimpleMeterRegistry();
		application(simple).run().close();
		assertThat(this.closedWhenStopsBegin).hasValue(true);
	}

	@Test
	void turnedOffRegistriesAreClosedBeforeStopsBegin() {
		application(this.registry).run("--rdma.metrics.export-on-shutdown=false").close();
		assertThat(this.closedWhenStopsBegin).hasValue(true);
		assertThat(this.registry.published()).containsExactly(List.of());
	}

	@Test
	void withRdmaDisabledRegistriesAreClosedBeforeStopsBegin() {
		application(this.registry).run("--rdma.enabled=false").close();
		assertThat(this.closedWhenStopsBegin).hasValue(true);
		assertThat(this.registry.published()).hasSize(1);
	}

	@Test
	void withoutEndpointsRegistriesAreClosedBeforeStopsBegin() {
		application(this.registry, new SpringApplicationBuilder(Application.class)).run("--rdma.provider=loopback")
			.close();
		assertThat(this.closedWhenStopsBegin).hasValue(true);
		assertThat(this.registry.published()).hasSize(1);
	}

	@Test
	void withEndpointsThatNeverStartedRegistriesAreClosedBeforeStopsBegin() {
		application(this.registry).run("--rdma.lifecycle.auto-startup=false").close();
		assertThat(this.closedWhenStopsBegin).hasValue(true);
		assertThat(this.registry.published()).hasSize(1);
	}

	@Test
	void aPauseClosesNoRegistry() {
		ConfigurableApplicationContext context = application(this.registry).run();
		context.pause();
		assertThat(this.registry.isClosed()).isFalse();
		context.restart();
		context.close();
		assertThat(this.registry.published()).containsExactly(List.of("echo restart success 1", DESTROYED));
	}

	@Test
	void aPausedContextClosesItsRegistries() {
		ConfigurableApplicationContext context = application(this.registry).run();
		context.pause();
		context.close();
		assertThat(this.registry.published()).containsExactly(List.of("echo restart success 1"));
	}

	@Test
	void theDestroyOfAFailedStartIsPublished() {
		SpringApplicationBuilder application = application(this.registry)
			.initializers((context) -> ((GenericApplicationContext) context).registerBean("failing",
					SmartLifecycle.class, FailingLifecycle::new));
		assertThatExceptionOfType(ApplicationContextException.class).isThrownBy(application::run);
		assertThat(this.registry.published()).containsExactly(List.of("echo failed-start success 1"));
		assertThat(this.registry.isClosed()).isTrue();
	}

	@Test
	void aStopThatOutlivesThePhaseTimeoutIsPublished() throws InterruptedException {
		CountDownLatch stopping = new CountDownLatch(1);
		CountDownLatch release = new CountDownLatch(1);
		DestroyListener slow = new DestroyListener() {

			@Override
			public void destroyStarted(String endpoint, long connection, DestroyTrigger trigger) {
				stopping.countDown();
				Awaitility.await().until(() -> release.getCount() == 0);
			}

			@Override
			public void destroyEnded(DestroyReport report) {
			}

		};
		ConfigurableApplicationContext context = application(this.registry)
			.initializers((initialized) -> ((GenericApplicationContext) initialized).registerBean("slow",
					DestroyListener.class, () -> slow))
			.run("--spring.lifecycle.timeout-per-shutdown-phase=100ms");
		Thread closing = new Thread(context::close, "closing");
		closing.start();
		stopping.await();
		Awaitility.await().until(() -> isIn(closing, ExportOnShutdown.class, "stop"));
		assertThat(this.registry.isClosed()).isFalse();
		release.countDown();
		closing.join();
		assertThat(this.registry.published()).containsExactly(List.of(DESTROYED));
	}

	@Test
	void withoutAStopPhaseEndpointsAreDestroyedBeforeRegistriesAreClosed() {
		application(this.registry)
			.initializers((context) -> ((GenericApplicationContext) context).registerBean(
					AbstractApplicationContext.LIFECYCLE_PROCESSOR_BEAN_NAME, DefaultLifecycleProcessor.class,
					StoplessLifecycleProcessor::new))
			.run("--spring.autoconfigure.exclude="
					+ "org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration")
			.close();
		assertThat(this.closedWhenStopsBegin).hasValue(null);
		assertThat(this.registry.published()).containsExactly(List.of(DESTROYED));
		assertThat(this.registry.isClosed()).isTrue();
	}

	@Test
	void theLowestPhaseStillPublishesTheDestroy() {
		application(this.registry).run("--rdma.lifecycle.phase=" + Integer.MIN_VALUE).close();
		assertThat(this.registry.published()).containsExactly(List.of(DESTROYED));
	}

	@Test
	void theCloseOfAChildLeavesTheRegistriesOfItsParentOpen() {
		ConfigurableApplicationContext parent = application(this.registry).run();
		new SpringApplicationBuilder(Plain.class).parent(parent).web(WebApplicationType.NONE).run().close();
		assertThat(this.registry.isClosed()).isFalse();
		parent.close();
		assertThat(this.registry.published()).containsExactly(List.of(DESTROYED));
	}

	@Test
	void theCloseOfAParentPublishesTheDestroyOfItsChild() {
		MeterRegistry ofParent = new SimpleMeterRegistry();
		ConfigurableApplicationContext parent = new SpringApplicationBuilder(Plain.class)
			.initializers((context) -> ((GenericApplicationContext) context).registerBean("parentRegistry",
					MeterRegistry.class, () -> ofParent))
			.web(WebApplicationType.NONE)
			.run();
		application(this.registry).parent(parent).run();
		parent.close();
		assertThat(this.registry.published()).containsExactly(List.of(DESTROYED));
		assertThat(ofParent.isClosed()).isTrue();
	}

	private SpringApplicationBuilder application(MeterRegistry registry) {
		return application(registry,
				new SpringApplicationBuilder(Application.class).properties("rdma.servers.echo.port=0"));
	}

	private SpringApplicationBuilder application(MeterRegistry registry, SpringApplicationBuilder builder) {
		return builder.web(WebApplicationType.NONE).properties("rdma.provider=loopback").initializers((context) -> {
			GenericApplicationContext generic = (GenericApplicationContext) context;
			generic.registerBean("registry", MeterRegistry.class, () -> registry,
					(definition) -> definition.setDestroyMethodName("close"));
			generic.registerBean("firstToStop", SmartLifecycle.class,
					() -> new FirstToStop(registry, this.closedWhenStopsBegin));
		});
	}

	private static boolean isIn(Thread thread, Class<?> type, String method) {
		for (StackTraceElement frame : thread.getStackTrace()) {
			if (frame.getClassName().equals(type.getName()) && frame.getMethodName().equals(method)) {
				return true;
			}
		}
		return false;
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

	@Configuration(proxyBeanMethods = false)
	static class Plain {

	}

	private static final class StoplessLifecycleProcessor extends DefaultLifecycleProcessor {

		@Override
		public void onClose() {
		}

	}

	private static class TestLifecycle implements SmartLifecycle {

		private boolean running;

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.running = false;
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

	}

	private static final class FailingLifecycle extends TestLifecycle {

		@Override
		public void start() {
			throw new IllegalStateException("cannot start");
		}

	}

	private static final class FirstToStop extends TestLifecycle {

		private final MeterRegistry registry;

		private final AtomicReference<Boolean> closed;

		private FirstToStop(MeterRegistry registry, AtomicReference<Boolean> closed) {
			this.registry = registry;
			this.closed = closed;
		}

		@Override
		public void stop() {
			super.stop();
			this.closed.set(this.registry.isClosed());
		}

	}

}
