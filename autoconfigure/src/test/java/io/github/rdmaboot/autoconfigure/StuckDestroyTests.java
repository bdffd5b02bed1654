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
import io.github.rdmaboot.endpoint.RdmaServer;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
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

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
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
			assertThat(health.getDetails()).containsEntry("state", "QUARANTINED")
				.containsEntry("reason", "A native call of the last destroy is stuck")
				.containsKey("lastDestroy");
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
			assertThat(descriptor.lastDestroy()).isNotNull();
			assertThat(descriptor.lastDestroy().result()).isEqualTo("timeout");
			this.release.countDown();
		});
	}

	private RdmaProvider providerWhoseDestroyBlocks() {
		RdmaProvider provider = new LoopbackRdmaProvider(new LoopbackFabric());
		return (RdmaProvider) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { RdmaProvider.class },
				(proxy, method, arguments) -> {
					if (method.getName().equals("rdmaDestroyId")) {
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
		return registry.get("rdma.endpoint.destroy.active").tags("endpoint", "echo").longTaskTimer().activeTasks();
	}

	private static Health health(ApplicationContext context) {
		HealthIndicator indicator = (HealthIndicator) context.getBean(CompositeHealthContributor.class)
			.getContributor("echo");
		assertThat(indicator).isNotNull();
		return indicator.health(true);
	}

}
