package io.github.rdmaboot.autoconfigure;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import io.github.rdmaboot.actuate.EndpointDescriptor;
import io.github.rdmaboot.actuate.RdmaActuatorEndpoint;
import io.github.rdmaboot.autoconfigure.actuate.RdmaActuatorEndpointAutoConfiguration;
import io.github.rdmaboot.autoconfigure.health.RdmaHealthContributorAutoConfiguration;
import io.github.rdmaboot.autoconfigure.metrics.RdmaMetricsAutoConfiguration;
import io.github.rdmaboot.endpoint.RdmaEndpoints;
import io.github.rdmaboot.endpoint.RdmaServer;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what is seen of an endpoint whose native destroy does not return.
 */
@Timeout(60)
class StuckDestroyTests {

	private final CountDownLatch release = new CountDownLatch(1);

	private volatile String blocking = "rdmaDestroyId";

	private final ApplicationContextRunner contextRunner = CheckedContexts.runner()
		.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class, RdmaAutoConfiguration.class,
				RdmaActuatorEndpointAutoConfiguration.class, RdmaHealthContributorAutoConfiguration.class,
				RdmaMetricsAutoConfiguration.class))
		.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
		.withBean(RdmaProvider.class, this::providerWhoseDestroyBlocks)
		.withPropertyValues("management.endpoints.web.exposure.include=rdma", "rdma.servers.echo.port=0",
				"rdma.shutdown.destroy-timeout=100ms");

	@AfterEach
	void endTheCall() {
		this.release.countDown();
	}

	@Test
	void healthIsDownWithTheReasonAndStaysQuick() {
		this.contextRunner.run((context) -> {
			context.getBean(RdmaServer.class).destroy();
			Health health = health(context);
			assertThat(health.getStatus()).isEqualTo(Status.DOWN);
			assertThat(health.getDetails()).containsEntry("state", "QUARANTINED").containsKey("lastDestroy");
			assertThat((String) health.getDetails().get("reason"))
				.matches("Native calls of a destroy are stuck: rdma_destroy_id of echo for \\d{3,} ms");
			long begin = System.nanoTime();
			for (int i = 0; i < 1000; i++) {
				health(context);
			}
			assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
			this.release.countDown();
		});
	}

	@Test
	void metersShowTheTimeoutAndThatItIsStillStuck() {
		this.contextRunner.run((context) -> {
			DestroyReport report = context.getBean(RdmaServer.class).destroy();
			assertThat(report.result()).isEqualTo(DestroyResult.TIMEOUT);
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			assertThat(registry.get("rdma.endpoint.destroy")
				.tags("endpoint", "echo", "trigger", "manual", "result", "timeout", "error", "ETIMEDOUT")
				.timer()
				.count()).isEqualTo(1);
			assertThat(registry.get("rdma.endpoint.destroy.failures")
				.tags("endpoint", "echo", "step", "destroy-listener", "error", "ETIMEDOUT")
				.counter()
				.count()).isEqualTo(1);
			assertThat(active(registry)).isEqualTo(1);
			this.release.countDown();
			Awaitility.await().untilAsserted(() -> assertThat(active(registry)).isZero());
		});
	}

	@Test
	void theActuatorEndpointHasTheReport() {
		this.contextRunner.run((context) -> {
			context.getBean(RdmaServer.class).destroy();
			EndpointDescriptor descriptor = context.getBean(RdmaActuatorEndpoint.class).endpoint("echo");
			assertThat(descriptor).isNotNull();
			assertThat(descriptor.state()).isEqualTo("QUARANTINED");
			assertThat(descriptor.stuckCalls()).singleElement().asString().startsWith("rdma_destroy_id of echo for ");
			assertThat(descriptor.lastDestroy()).isNotNull();
			assertThat(descriptor.lastDestroy().result()).isEqualTo("timeout");
			this.release.countDown();
		});
	}

	@Test
	void aStopWhoseChannelCannotBeDestroyedIsShownUntilItCan() {
		this.blocking = "rdmaDestroyEventChannel";
		this.contextRunner.withPropertyValues("rdma.shutdown.timeout=300ms").run((context) -> {
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			RdmaEndpoints endpoints = context.getBean(RdmaEndpoints.class);
			assertThat(active(registry, "all")).isZero();
			endpoints.destroyAll(DestroyTrigger.RESTART);
			assertThat(active(registry)).isZero();
			assertThat(active(registry, "all")).isEqualTo(1);
			assertThat(endpoints.stuckCalls()).singleElement()
				.satisfies((call) -> assertThat(call.call()).isEqualTo("rdma_destroy_event_channel"));
			Health health = health(context, "devices");
			assertThat(health.getStatus()).isEqualTo(Status.DOWN);
			assertThat((String) health.getDetails().get("reason"))
				.contains("rdma_destroy_event_channel of the event channel for ");
			this.release.countDown();
			Awaitility.await().untilAsserted(() -> assertThat(active(registry, "all")).isZero());
			assertThat(endpoints.stuckCalls()).isEmpty();
			assertThat(health(context, "devices").getStatus()).isEqualTo(Status.UNKNOWN);
		});
	}

	private RdmaProvider providerWhoseDestroyBlocks() {
		RdmaProvider provider = new LoopbackRdmaProvider(new LoopbackFabric());
		return (RdmaProvider) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { RdmaProvider.class },
				(proxy, method, arguments) -> {
					if (method.getName().equals(this.blocking)) {
						this.release.await();
					}
					try {
						return method.invoke(provider, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	private static int active(MeterRegistry registry) {
		return active(registry, "echo");
	}

	private static int active(MeterRegistry registry, String endpoint) {
		return registry.get("rdma.endpoint.destroy.active").tags("endpoint", endpoint).longTaskTimer().activeTasks();
	}

	private static Health health(ApplicationContext context) {
		return health(context, "echo");
	}

	private static Health health(ApplicationContext context, String name) {
		HealthIndicator indicator = (HealthIndicator) context.getBean(CompositeHealthContributor.class)
			.getContributor(name);
		assertThat(indicator).isNotNull();
		return indicator.health(true);
	}

}
