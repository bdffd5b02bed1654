package io.github.rdmaboot.autoconfigure.actuate;

import io.github.rdmaboot.actuate.EndpointDescriptor;
import io.github.rdmaboot.actuate.RdmaActuatorEndpoint;
import io.github.rdmaboot.actuate.RdmaDescriptor;
import io.github.rdmaboot.autoconfigure.CheckedContexts;
import io.github.rdmaboot.autoconfigure.RdmaAutoConfiguration;
import io.github.rdmaboot.endpoint.RdmaServer;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RdmaActuatorEndpointAutoConfiguration} and
 * {@link RdmaActuatorEndpoint}.
 */
class RdmaActuatorEndpointAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = CheckedContexts.runner()
		.withConfiguration(
				AutoConfigurations.of(RdmaAutoConfiguration.class, RdmaActuatorEndpointAutoConfiguration.class))
		.withPropertyValues("rdma.provider=loopback", "rdma.servers.echo.port=0",
				"management.endpoints.web.exposure.include=rdma");

	@Test
	void describesAllEndpoints() {
		this.contextRunner.run((context) -> {
			RdmaDescriptor descriptor = context.getBean(RdmaActuatorEndpoint.class).rdma();
			assertThat(descriptor.running()).isTrue();
			assertThat(descriptor.provider()).isEqualTo("loopback");
			assertThat(descriptor.endpoints()).extracting(EndpointDescriptor::name).containsExactly("echo");
		});
	}

	@Test
	void describesOneEndpointWithItsLastDestroy() {
		this.contextRunner.run((context) -> {
			context.getBean(RdmaServer.class).destroy();
			EndpointDescriptor descriptor = context.getBean(RdmaActuatorEndpoint.class).endpoint("echo");
			assertThat(descriptor).isNotNull();
			assertThat(descriptor.kind()).isEqualTo("server");
			assertThat(descriptor.state()).isEqualTo("IDLE");
			assertThat(descriptor.lastDestroy()).isNotNull();
			assertThat(descriptor.lastDestroy().trigger()).isEqualTo("manual");
			assertThat(descriptor.lastDestroy().result()).isEqualTo("success");
			assertThat(descriptor.lastDestroy().steps()).isNotEmpty();
		});
	}

	@Test
	void knowsNoEndpointThatIsNotConfigured() {
		this.contextRunner
			.run((context) -> assertThat(context.getBean(RdmaActuatorEndpoint.class).endpoint("other")).isNull());
	}

	@Test
	void isAbsentUnlessExposed() {
		CheckedContexts.runner()
			.withConfiguration(
					AutoConfigurations.of(RdmaAutoConfiguration.class, RdmaActuatorEndpointAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RdmaActuatorEndpoint.class));
	}

	@Test
	void isAbsentWithoutActuator() {
		this.contextRunner.withClassLoader(new FilteredClassLoader(Endpoint.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasBean("echo")
				.doesNotHaveBean("rdmaActuatorEndpoint"));
	}

}
