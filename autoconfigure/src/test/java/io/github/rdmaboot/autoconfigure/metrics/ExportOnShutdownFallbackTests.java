package io.github.rdmaboot.autoconfigure.metrics;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

import io.github.rdmaboot.endpoint.RdmaEndpoint;
import io.github.rdmaboot.endpoint.RdmaEndpoints;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.micrometer.core.instrument.MeterRegistry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.support.GenericApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/**
 * Tests for {@link ExportOnShutdown} with a closer or a destroy that is not as it should
 * be.
 */
class ExportOnShutdownFallbackTests {

	private final RecordingStepRegistry registry = new RecordingStepRegistry();

	private final RdmaEndpoints endpoints = mock();

	@BeforeEach
	void startEndpoints() {
		given(this.endpoints.endpoints()).willReturn(List.of(mock(RdmaEndpoint.class)));
		given(this.endpoints.isRunning()).willReturn(true);
	}

	@Test
	void registriesAreClosedThoughTheDestroyThrew() {
		given(this.endpoints.destroyAll(any())).willThrow(new IllegalStateException("cannot destroy"));
		GenericApplicationContext context = new AnnotationConfigApplicationContext();
		context.registerBean(MetricsAutoConfiguration.class);
		AtomicReference<Boolean> closed = closeWith(context);
		verify(this.endpoints).destroyAll(DestroyTrigger.SHUTDOWN);
		assertThat(closed).hasValue(true);
		assertThat(this.registry.published()).hasSize(1);
	}

	@Test
	void aCloserThatIsNotSpringBootsIsLeftAlone() {
		List<ContextClosedEvent> events = new CopyOnWriteArrayList<>();
		GenericApplicationContext context = new AnnotationConfigApplicationContext();
		context.registerBean("meterRegistryCloser", ClosedListener.class, () -> new ClosedListener(events));
		closeWith(context);
		verify(this.endpoints, never()).destroyAll(any());
		assertThat(events).hasSize(1);
	}

	@Test
	void withoutACloserNothingIsHeldBack() {
		AtomicReference<Boolean> closed = closeWith(new AnnotationConfigApplicationContext());
		verify(this.endpoints, never()).destroyAll(any());
		assertThat(closed).hasValue(false);
	}

	/**
	 * Refresh and close a context.
	 * @return whether the registry was closed when beans were destroyed
	 */
	private AtomicReference<Boolean> closeWith(GenericApplicationContext context) {
		AtomicReference<Boolean> closed = new AtomicReference<>();
		context.registerBean("registry", MeterRegistry.class, () -> this.registry);
		context.registerBean("rdmaEndpoints", RdmaEndpoints.class, () -> this.endpoints);
		context.registerBean("exportOnShutdown", ExportOnShutdown.class,
				() -> new ExportOnShutdown(context, context.getBeanProvider(RdmaEndpoints.class), 0));
		context.registerBean("probe", DisposableBean.class, () -> () -> closed.set(this.registry.isClosed()));
		context.refresh();
		context.close();
		return closed;
	}

	private record ClosedListener(List<ContextClosedEvent> events) implements ApplicationListener<ContextClosedEvent> {

		@Override
		public void onApplicationEvent(ContextClosedEvent event) {
			this.events.add(event);
		}

	}

}
