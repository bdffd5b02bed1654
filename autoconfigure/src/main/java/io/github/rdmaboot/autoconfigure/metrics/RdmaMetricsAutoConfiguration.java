package io.github.rdmaboot.autoconfigure.metrics;

import io.github.rdmaboot.autoconfigure.RdmaAutoConfiguration;
import io.github.rdmaboot.autoconfigure.RdmaProperties;
import io.github.rdmaboot.endpoint.RdmaEndpoints;
import io.github.rdmaboot.metrics.RdmaMetrics;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the meters of RDMA endpoints.
 */
@AutoConfiguration(after = RdmaAutoConfiguration.class,
		afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ RdmaEndpoints.class, MeterRegistry.class })
public final class RdmaMetricsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	RdmaMetrics rdmaMetrics(RdmaEndpoints endpoints) {
		return new RdmaMetrics(endpoints);
	}

	@Bean
	@ConditionalOnBooleanProperty(name = "rdma.metrics.export-on-shutdown", matchIfMissing = true)
	ExportOnShutdown rdmaExportOnShutdown(ConfigurableApplicationContext context,
			ObjectProvider<RdmaEndpoints> endpoints, RdmaProperties properties) {
		return new ExportOnShutdown(context, endpoints, properties.lifecycle().phase());
	}

}
