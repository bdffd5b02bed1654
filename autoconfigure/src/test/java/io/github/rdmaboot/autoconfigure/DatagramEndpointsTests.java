package io.github.rdmaboot.autoconfigure;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.rdmaboot.actuate.DatagramsDescriptor;
import io.github.rdmaboot.actuate.EndpointDescriptor;
import io.github.rdmaboot.actuate.RdmaActuatorEndpoint;
import io.github.rdmaboot.autoconfigure.actuate.RdmaActuatorEndpointAutoConfiguration;
import io.github.rdmaboot.autoconfigure.health.RdmaHealthContributorAutoConfiguration;
import io.github.rdmaboot.cm.CmId;
import io.github.rdmaboot.cm.CmIdState;
import io.github.rdmaboot.endpoint.CompletionSettings;
import io.github.rdmaboot.endpoint.DatagramSettings;
import io.github.rdmaboot.endpoint.EndpointState;
import io.github.rdmaboot.endpoint.HandlerThread;
import io.github.rdmaboot.endpoint.RdmaDatagramEndpoint;
import io.github.rdmaboot.endpoint.RdmaEndpointException;
import io.github.rdmaboot.endpoint.RdmaEndpoints;
import io.github.rdmaboot.endpoint.ReconnectSettings;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyStepName;
import io.github.rdmaboot.metrics.RdmaMetrics;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import io.github.rdmaboot.verbs.CompletionMode;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the datagram endpoints under {@code rdma.datagrams}: properties, beans,
 * lifecycle, health, actuator and failure analysis.
 */
class DatagramEndpointsTests {

	private final ApplicationContextRunner contextRunner = CheckedContexts.runner()
		.withConfiguration(AutoConfigurations.of(RdmaAutoConfiguration.class,
				RdmaHealthContributorAutoConfiguration.class, RdmaActuatorEndpointAutoConfiguration.class))
		.withBean(RdmaProvider.class, DatagramEndpointsTests::provider)
		.withPropertyValues("rdma.datagrams.prices.address=192.0.2.1", "rdma.datagrams.prices.port=0",
				"rdma.datagrams.prices.multicast.groups=239.1.2.3,239.1.2.4",
				"management.endpoints.web.exposure.include=rdma");

	private final Map<String, String> source = new LinkedHashMap<>();

	private static RdmaProvider provider() {
		LoopbackFabric fabric = new LoopbackFabric();
		try {
			fabric.addAddress(InetAddress.getByName("192.0.2.1"));
		}
		catch (UnknownHostException ex) {
			throw new IllegalStateException(ex);
		}
		return new LoopbackRdmaProvider(fabric);
	}

	private DatagramSettings settings(String name) {
		RdmaProperties properties = new Binder(new MapConfigurationPropertySource(this.source)).bindOrCreate("rdma",
				RdmaProperties.class);
		return SettingsConverter.datagrams(name, properties.datagrams().get(name));
	}

	@Test
	void endpointNeedsNothingButAnAddress() {
		this.source.put("rdma.datagrams.prices.address", "192.0.2.1");
		assertThat(settings("prices")).isEqualTo(
				new DatagramSettings("prices", "192.0.2.1", null, 128, Duration.ofSeconds(2), Duration.ofSeconds(5),
						List.of(), 64, 1024, null, CompletionSettings.defaults(), ReconnectSettings.defaults()));
	}

	@Test
	void everyPropertyIsBound() throws UnknownHostException {
		String prices = "rdma.datagrams.prices.";
		this.source.put(prices + "address", "192.0.2.1");
		this.source.put(prices + "port", "7174");
		this.source.put(prices + "backlog", "7");
		this.source.put(prices + "resolve-timeout", "3s");
		this.source.put(prices + "connect-timeout", "4s");
		this.source.put(prices + "max-peers", "9");
		this.source.put(prices + "tos", "32");
		this.source.put(prices + "memory.buffer-count", "8");
		this.source.put(prices + "multicast.groups[0]", "239.1.2.3");
		this.source.put(prices + "multicast.groups[1]", "ff0e::1");
		this.source.put(prices + "relisten.enabled", "false");
		this.source.put(prices + "relisten.max-attempts", "3");
		this.source.put(prices + "completion.mode", "poll");
		this.source.put(prices + "completion.handlers", "completion-thread");
		assertThat(settings("prices")).isEqualTo(
				new DatagramSettings("prices", "192.0.2.1", 7174, 7, Duration.ofSeconds(3), Duration.ofSeconds(4),
						List.of(InetAddress.getByName("239.1.2.3"), InetAddress.getByName("ff0e::1")), 8, 9, 32,
						CompletionSettings.of(CompletionMode.POLL, HandlerThread.COMPLETION_THREAD),
						new ReconnectSettings(false, Duration.ofMillis(100), Duration.ofSeconds(10), 0.2, 3)));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			address             | *         | address is * but must be an address of this machine
			port                | 65536     | port is 65536 but must be from 0 to 65535
			backlog             | -1        | backlog is -1 but must be at least 0
			connect-timeout     | 0s        | connect-timeout is 0s but must be longer than zero
			max-peers           | 0         | max-peers is 0 but must be at least 1
			tos                 | 256       | tos is 256 but must be from 0 to 255
			memory.buffer-count | 0         | memory.buffer-count is 0 but must be from 1 to 16384
			multicast.groups    | 192.0.2.1 | multicast.groups is 192.0.2.1 but must be addresses of multicast groups
			multicast.groups    | prices    | multicast.groups is prices but must be addresses of multicast groups
			""")
	void aBadValueIsReportedWithTheFullNameOfItsProperty(String property, String value, String message) {
		this.source.put("rdma.datagrams.prices.address", "192.0.2.1");
		this.source.put("rdma.datagrams.prices." + property, value);
		assertThatExceptionOfType(InvalidRdmaPropertyException.class).isThrownBy(() -> settings("prices"))
			.withMessageStartingWith("rdma.datagrams.prices." + message)
			.satisfies((ex) -> assertThat(ex.property()).isEqualTo("rdma.datagrams.prices." + property));
	}

	@Test
	void anAddressThatIsNotSetIsReported() {
		this.source.put("rdma.datagrams.prices.port", "7174");
		assertThatExceptionOfType(InvalidRdmaPropertyException.class).isThrownBy(() -> settings("prices"))
			.withMessage("rdma.datagrams.prices.address is not set but must be");
	}

	@Test
	void endpointAndItsCmIdAreBeansThatStartAndStopWithTheContext() {
		this.contextRunner.run((context) -> {
			RdmaDatagramEndpoint prices = context.getBean("prices", RdmaDatagramEndpoint.class);
			assertThat(prices.state()).isEqualTo(EndpointState.UP);
			assertThat(prices.port()).isPositive();
			assertThat(prices.groups()).hasSize(2);
			CmId id = context.getBean("prices.cmId", CmId.class);
			assertThat(id).isSameAs(prices.cmId());
			assertThat(id.state()).isEqualTo(CmIdState.BOUND);
			assertThat(id.qpNum()).isPositive();
			context.close();
			DestroyReport report = prices.lastDestroyReport();
			assertThat(report).isNotNull();
			assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
			assertThat(report.durations()).containsKeys(DestroyStepName.LEAVE_MULTICAST, DestroyStepName.DESTROY_AH);
			assertThat(id.state()).isEqualTo(CmIdState.NONE);
		});
	}

	@Test
	void theNameOfAServerIsRefused() {
		this.contextRunner.withPropertyValues("rdma.servers.prices.port=0")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidRdmaNameException.class)
				.hasMessageContaining("'prices' under rdma.servers")
				.hasMessageContaining("'prices' under rdma.datagrams"));
	}

	@Test
	void anUnknownPropertyIsRefused() {
		this.contextRunner.withPropertyValues("rdma.datagrams.prices.multicast.group=239.1.2.3")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(UnknownRdmaPropertyException.class)
				.hasMessageContaining("rdma.datagrams.prices.multicast.group"));
	}

	@Test
	void healthTellsTheGroups() {
		this.contextRunner.run((context) -> {
			Health health = health(context);
			assertThat(health.getStatus()).isEqualTo(Status.UP);
			assertThat(health.getDetails()).containsEntry("state", "UP")
				.containsEntry("address", "192.0.2.1:0")
				.containsEntry("groups", List.of("239.1.2.3", "239.1.2.4"))
				.containsEntry("cmIdState", "BOUND")
				.doesNotContainKeys("connections", "error", "reason");
			context.getBean(RdmaDatagramEndpoint.class).destroy();
			assertThat(health(context).getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
		});
	}

	private static Health health(ApplicationContext context) {
		HealthIndicator indicator = (HealthIndicator) context.getBean(CompositeHealthContributor.class)
			.getContributor("prices");
		assertThat(indicator).isNotNull();
		return indicator.health(true);
	}

	@Test
	void actuatorDescribesWhatOnlyADatagramEndpointHas() {
		this.contextRunner.run((context) -> {
			EndpointDescriptor descriptor = context.getBean(RdmaActuatorEndpoint.class).endpoint("prices");
			assertThat(descriptor).isNotNull();
			assertThat(descriptor.kind()).isEqualTo("datagrams");
			assertThat(descriptor.connections()).isEmpty();
			assertThat(descriptor.datagrams()).isEqualTo(new DatagramsDescriptor(
					context.getBean(RdmaDatagramEndpoint.class).port(), 4096, List.of("239.1.2.3", "239.1.2.4"), 0));
		});
	}

	@Test
	void onlyDatagramEndpointsHaveMetersOfTheirSteps() {
		this.contextRunner.withPropertyValues("rdma.servers.echo.port=0").run((context) -> {
			SimpleMeterRegistry registry = new SimpleMeterRegistry();
			new RdmaMetrics(context.getBean(RdmaEndpoints.class)).bindTo(registry);
			for (String step : List.of("leave-multicast", "destroy-ah")) {
				assertThat(
						registry.find("rdma.endpoint.destroy.step").tags("endpoint", "prices", "step", step).timers())
					.as(step + " of prices")
					.isNotEmpty();
				assertThat(registry.find("rdma.endpoint.destroy.step").tags("endpoint", "echo", "step", step).timers())
					.as(step + " of echo")
					.isEmpty();
			}
		});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			rdma_bind_addr      | EADDRINUSE    | rdma.datagrams.prices.port
			rdma_bind_addr      | EADDRNOTAVAIL | rdma.datagrams.prices.address
			rdma_bind_addr      | ENODEV        | rdma.datagrams.prices.address
			rdma_join_multicast | EINVAL        | rdma.datagrams.prices.multicast.groups
			ibv_reg_mr          | ENOMEM        | Or lower 'rdma.datagrams.prices.memory.buffer-count'.
			rdma_create_qp      | EINVAL        | Compare 'rdma.datagrams.prices.memory.buffer-count'
			""")
	void theActionFollowsTheCallAndItsErrno(String call, Errno errno, String action) {
		MockEnvironment environment = new MockEnvironment().withProperty("rdma.datagrams.prices.address", "192.0.2.1");
		FailureAnalysis analysis = new RdmaEndpointFailureAnalyzer(environment).analyze(new IllegalStateException(),
				new RdmaEndpointException("prices", "192.0.2.1:7174", call, errno.value(), null, null));
		assertThat(analysis.getDescription()).contains("RDMA datagram endpoint 'prices' could not be started", call,
				errno.name());
		assertThat(analysis.getAction()).contains(action);
	}

}
