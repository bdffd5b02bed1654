package io.github.rdmaboot.autoconfigure.metrics;

import io.github.rdmaboot.autoconfigure.CheckedContexts;
import io.github.rdmaboot.autoconfigure.RdmaAutoConfiguration;
import io.github.rdmaboot.endpoint.RdmaServer;
import io.github.rdmaboot.metrics.RdmaMetrics;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RdmaMetricsAutoConfiguration}.
 */
class RdmaMetricsAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = CheckedContexts.runner()
		.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class, RdmaAutoConfiguration.class,
				RdmaMetricsAutoConfiguration.class))
		.withPropertyValues("rdma.provider=loopback", "rdma.servers.echo.port=0");

	private final ApplicationContextRunner prometheusRunner = this.contextRunner.withBean(PrometheusMeterRegistry.class,
			() -> new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));

	@Test
	void isAbsentWithoutARegistry() {
		this.contextRunner.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RdmaMetrics.class));
	}

	@Test
	void isAbsentWithoutMicrometer() {
		CheckedContexts.runner()
			.withConfiguration(AutoConfigurations.of(RdmaAutoConfiguration.class, RdmaMetricsAutoConfiguration.class))
			.withPropertyValues("rdma.provider=loopback", "rdma.servers.echo.port=0")
			.withClassLoader(new FilteredClassLoader("io.micrometer"))
			.run((context) -> assertThat(context).hasNotFailed().hasBean("echo").doesNotHaveBean("rdmaMetrics"));
	}

	@Test
	void isAbsentWhenRdmaIsDisabled() {
		this.prometheusRunner.withPropertyValues("rdma.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RdmaMetrics.class));
	}

	@Test
	void aScrapeAfterADestroyAtRunTimeHasItsTimer() {
		this.prometheusRunner.run((context) -> {
			context.getBean("echo", RdmaServer.class).destroy();
			assertThat(context.getBean(PrometheusMeterRegistry.class).scrape())
				.contains("rdma_endpoint_destroy_seconds_count{endpoint=\"echo\",error=\"none\",result=\"success\","
						+ "trigger=\"manual\"} 1");
		});
	}

	@Test
	void theDestroyAtShutdownIsCountedThoughTheRegistryIsClosed() {
		this.prometheusRunner.run((context) -> {
			PrometheusMeterRegistry registry = context.getBean(PrometheusMeterRegistry.class);
			context.getSourceApplicationContext().close();
			assertThat(registry.isClosed()).isTrue();
			assertThat(registry.scrape())
				.contains("rdma_endpoint_destroy_seconds_count{endpoint=\"echo\",error=\"none\",result=\"success\","
						+ "trigger=\"shutdown\"} 1");
		});
	}

	@Test
	void metersCanBeTurnedOff() {
		this.contextRunner.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withPropertyValues("management.metrics.enable.rdma=false")
			.run((context) -> assertThat(context.getBean(MeterRegistry.class).getMeters()).extracting(Meter::getId)
				.extracting(Meter.Id::getName)
				.noneMatch((name) -> name.startsWith("rdma")));
	}

}
