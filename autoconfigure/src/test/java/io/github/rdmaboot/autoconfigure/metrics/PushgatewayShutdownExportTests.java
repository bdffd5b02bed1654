package io.github.rdmaboot.autoconfigure.metrics;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what a Prometheus Pushgateway gets of an application that shuts down.
 */
@Timeout(60)
class PushgatewayShutdownExportTests {

	@Test
	void thePostOnShutdownHasTheDestroy() throws IOException {
		try (MetricsSink sink = new MetricsSink()) {
			new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
				.properties("rdma.provider=loopback", "rdma.servers.echo.port=0",
						"management.prometheus.metrics.export.enabled=true",
						"management.prometheus.metrics.export.pushgateway.enabled=true",
						"management.prometheus.metrics.export.pushgateway.address=" + sink.address(),
						"management.prometheus.metrics.export.pushgateway.format=text",
						"management.prometheus.metrics.export.pushgateway.push-rate=1h",
						"management.prometheus.metrics.export.pushgateway.shutdown-operation=post")
				.run()
				.close();
			MetricsSink.Request last = sink.requests().get(sink.requests().size() - 1);
			assertThat(last.method()).isEqualTo("POST");
			assertThat(new String(last.body(), StandardCharsets.UTF_8))
				.contains("rdma_endpoint_destroy_seconds_count{endpoint=\"echo\",error=\"none\",result=\"success\","
						+ "trigger=\"shutdown\"} 1");
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
