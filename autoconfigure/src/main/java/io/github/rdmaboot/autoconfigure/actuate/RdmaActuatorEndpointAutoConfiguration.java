package io.github.rdmaboot.autoconfigure.actuate;

import io.github.rdmaboot.actuate.RdmaActuatorEndpoint;
import io.github.rdmaboot.autoconfigure.RdmaAutoConfiguration;
import io.github.rdmaboot.endpoint.RdmaEndpoints;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration of the actuator endpoint {@code rdma}.
 */
@AutoConfiguration(after = RdmaAutoConfiguration.class)
@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class })
@ConditionalOnBean(RdmaEndpoints.class)
@ConditionalOnAvailableEndpoint(RdmaActuatorEndpoint.class)
public final class RdmaActuatorEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	RdmaActuatorEndpoint rdmaActuatorEndpoint(RdmaEndpoints endpoints) {
		return new RdmaActuatorEndpoint(endpoints);
	}

}
