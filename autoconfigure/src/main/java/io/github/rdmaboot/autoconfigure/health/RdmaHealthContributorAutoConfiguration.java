package io.github.rdmaboot.autoconfigure.health;

import java.util.LinkedHashMap;
import java.util.Map;

import io.github.rdmaboot.autoconfigure.RdmaAutoConfiguration;
import io.github.rdmaboot.endpoint.RdmaEndpoints;
import io.github.rdmaboot.health.RdmaDevicesHealthIndicator;
import io.github.rdmaboot.health.RdmaEndpointHealthIndicator;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the health of RDMA endpoints and devices. It is a composite
 * however many endpoints there are, so that the path of each stays the same.
 */
@AutoConfiguration(after = RdmaAutoConfiguration.class)
@ConditionalOnClass({ HealthContributor.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean(RdmaEndpoints.class)
@ConditionalOnEnabledHealthIndicator("rdma")
public final class RdmaHealthContributorAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = { "rdmaHealthContributor", "rdmaHealthIndicator" })
	CompositeHealthContributor rdmaHealthContributor(RdmaEndpoints endpoints) {
		Map<String, HealthContributor> contributors = new LinkedHashMap<>();
		endpoints.endpoints()
			.forEach((endpoint) -> contributors.put(endpoint.name(),
					new RdmaEndpointHealthIndicator(endpoints, endpoint)));
		contributors.put("devices", new RdmaDevicesHealthIndicator(endpoints));
		return CompositeHealthContributor.fromMap(contributors);
	}

}
