package io.github.rdmaboot.autoconfigure;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.actuate.EndpointDescriptor;
import io.github.rdmaboot.actuate.RdmaActuatorEndpoint;
import io.github.rdmaboot.autoconfigure.actuate.RdmaActuatorEndpointAutoConfiguration;
import io.github.rdmaboot.autoconfigure.health.RdmaHealthContributorAutoConfiguration;
import io.github.rdmaboot.autoconfigure.metrics.RdmaMetricsAutoConfiguration;
import io.github.rdmaboot.endpoint.RdmaClient;
import io.github.rdmaboot.endpoint.RdmaConnection;
import io.github.rdmaboot.endpoint.RdmaServer;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
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
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what health, meters and the actuator endpoint say of endpoints that are
 * connected, and of those that lose their connection.
 */
@Timeout(60)
class ConnectedEndpointsTests {

	private final ApplicationContextRunner contextRunner = CheckedContexts.runner()
		.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class, RdmaAutoConfiguration.class,
				RdmaActuatorEndpointAutoConfiguration.class, RdmaHealthContributorAutoConfiguration.class,
				RdmaMetricsAutoConfiguration.class))
		.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
		.withBean(RdmaProvider.class, () -> new LoopbackRdmaProvider(new LoopbackFabric()))
		.withPropertyValues("management.endpoints.web.exposure.include=rdma", "rdma.servers.echo.port=7471",
				"rdma.clients.echo-client.address=127.0.0.1", "rdma.clients.echo-client.port=7471",
				"rdma.clients.echo-client.startup=required", "rdma.clients.echo-client.reconnect.initial-backoff=10ms",
				"rdma.clients.echo-client.reconnect.max-backoff=50ms");

	@Test
	void aMessageGoesThereAndBackAndIsCounted() {
		this.contextRunner.run((context) -> {
			context.getBean(RdmaServer.class).onMessage((connection, message) -> {
				ByteBuffer answer = ByteBuffer.allocate(message.remaining()).put(message).flip();
				connection.send(answer).join();
			});
			RdmaConnection connection = context.getBean(RdmaClient.class).connection();
			byte[] body = "hello".getBytes(StandardCharsets.UTF_8);
			var answer = connection.receive();
			connection.send(ByteBuffer.wrap(body)).get(10, TimeUnit.SECONDS);
			assertThat(answer.get(10, TimeUnit.SECONDS)).isEqualTo(body);
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			assertThat(counter(registry, "rdma.messages", "echo-client", "sent")).isEqualTo(1);
			assertThat(counter(registry, "rdma.bytes", "echo-client", "received")).isEqualTo(body.length);
			assertThat(counter(registry, "rdma.messages", "echo", "received")).isEqualTo(1);
			assertThat(registry.get("rdma.connections").tags("endpoint", "echo-client").gauge().value()).isEqualTo(1);
			assertThat(registry.get("rdma.memory.registered").tags("endpoint", "echo-client").gauge().value())
				.as("buffers for both directions, and 8 bytes for what an atomic of each send and a grant of credits need")
				.isEqualTo(2 * 16 * 16384 + (16 + 1) * Long.BYTES);
			assertThat(registry.get("rdma.cm.ids").tags("state", "listening").gauge().value()).isEqualTo(1);
			assertThat(registry.get("rdma.endpoint.connect")
				.tags("endpoint", "echo-client", "result", "success", "error", "none")
				.timer()
				.count()).isEqualTo(1);
		});
	}

	@Test
	void theAgeOfACmIdIsRightThoughTheTimeOfDayWasSetBack() {
		this.contextRunner.run((context) -> {
			Object created = ReflectionTestUtils.getField(context.getBean(RdmaServer.class).cmId(), "current");
			assertThat(created).isNotNull();
			ReflectionTestUtils.setField(created, "createdAtMillis", System.currentTimeMillis() + 3_600_000);
			EndpointDescriptor server = context.getBean(RdmaActuatorEndpoint.class).endpoint("echo");
			assertThat(server).isNotNull();
			assertThat(server.cmId().age()).as("age of the CM id").isBetween(Duration.ZERO, Duration.ofMinutes(1));
		});
	}

	@Test
	void bothAreUpWhileConnected() {
		this.contextRunner.run((context) -> {
			Health client = health(context, "echo-client");
			assertThat(client.getStatus()).isEqualTo(Status.UP);
			assertThat(client.getDetails()).containsEntry("connections", 1).containsEntry("generation", 1L);
			Awaitility.await()
				.untilAsserted(() -> assertThat(health(context, "echo").getDetails()).containsEntry("connections", 1));
		});
	}

	@Test
	void aClientThatLosesItsConnectionIsDownWithTheReasonUntilItIsMadeAnew() {
		this.contextRunner.run((context) -> {
			RdmaServer server = context.getBean(RdmaServer.class);
			server.destroy();
			Awaitility.await()
				.atMost(Duration.ofSeconds(10))
				.untilAsserted(() -> assertThat(health(context, "echo-client").getStatus()).isEqualTo(Status.DOWN));
			assertThat(health(context, "echo-client").getDetails()).containsKeys("reason", "error");
			server.start();
			Awaitility.await()
				.atMost(Duration.ofSeconds(10))
				.untilAsserted(() -> assertThat(health(context, "echo-client").getStatus()).isEqualTo(Status.UP));
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			assertThat(registry.get("rdma.reconnects").tags("endpoint", "echo-client").functionCounter().count())
				.isEqualTo(1);
			assertThat(registry.get("rdma.endpoint.destroy")
				.tags("endpoint", "echo-client", "trigger", "disconnect", "result", "success")
				.timer()
				.count()).isPositive();
		});
	}

	@Test
	void theActuatorEndpointDescribesTheConnection() {
		this.contextRunner.run((context) -> {
			EndpointDescriptor client = context.getBean(RdmaActuatorEndpoint.class).endpoint("echo-client");
			assertThat(client).isNotNull();
			assertThat(client.state()).isEqualTo("UP");
			assertThat(client.cmId().state()).isEqualTo("ESTABLISHED");
			assertThat(client.cmId().qpNum()).isPositive();
			assertThat(client.cmId().deliveredEvents()).isPositive();
			assertThat(client.cmId().acknowledgedEvents()).isEqualTo(client.cmId().deliveredEvents());
			assertThat(client.cmId().peerAddress()).isEqualTo("127.0.0.1:7471");
			assertThat(client.cmId().localAddress()).startsWith("127.0.0.1:");
			assertThat(client.connections()).hasSize(1);
		});
	}

	private static double counter(MeterRegistry registry, String name, String endpoint, String direction) {
		return registry.get(name).tags("endpoint", endpoint, "direction", direction).functionCounter().count();
	}

	private static Health health(ApplicationContext context, String name) {
		HealthIndicator indicator = (HealthIndicator) context.getBean(CompositeHealthContributor.class)
			.getContributor(name);
		assertThat(indicator).isNotNull();
		return indicator.health(true);
	}

}
