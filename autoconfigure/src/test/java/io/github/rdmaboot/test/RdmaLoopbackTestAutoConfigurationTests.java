package io.github.rdmaboot.test;

import java.net.InetAddress;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.autoconfigure.CheckedContexts;
import io.github.rdmaboot.autoconfigure.RdmaAutoConfiguration;
import io.github.rdmaboot.endpoint.EndpointState;
import io.github.rdmaboot.endpoint.RdmaClient;
import io.github.rdmaboot.endpoint.RdmaServer;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackFaults;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mockito.Mockito;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what the annotation configures.
 */
@Timeout(60)
class RdmaLoopbackTestAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = CheckedContexts.runner()
		.withConfiguration(AutoConfigurations.of(RdmaAutoConfiguration.class, RdmaLoopbackTestAutoConfiguration.class))
		.withPropertyValues("rdma.servers.echo.port=7471");

	@Test
	void theAnnotationImportsTheConfiguration() {
		assertThat(ImportCandidates.load(AutoConfigureRdmaLoopback.class, null))
			.containsExactly(RdmaLoopbackTestAutoConfiguration.class.getName());
	}

	@Test
	void eachContextHasAFabricOfItsOwnWithItsOwnPorts() {
		this.contextRunner.run((first) -> this.contextRunner.run((second) -> {
			assertThat(first.getBean(RdmaServer.class).port()).isEqualTo(7471);
			assertThat(second.getBean(RdmaServer.class).port()).isEqualTo(7471);
			assertThat(first.getBean(LoopbackFabric.class)).isNotSameAs(second.getBean(LoopbackFabric.class))
				.isNotSameAs(LoopbackFabric.shared());
			assertThat(first.getBean(LoopbackFaults.class)).isSameAs(first.getBean(LoopbackFabric.class).faults());
		}));
	}

	@Test
	void theFabricTakesThePlaceOfTheConfiguredProvider() {
		this.contextRunner.withPropertyValues("rdma.provider=native")
			.run((context) -> assertThat(context.getBean(RdmaServer.class).state()).isEqualTo(EndpointState.UP));
	}

	@Test
	void theFabricTakesThePlaceOfTheApplicationsProvider() {
		RdmaProvider provider = Mockito.mock(RdmaProvider.class);
		this.contextRunner.withBean("applicationsProvider", RdmaProvider.class, () -> provider).run((context) -> {
			assertThat(context.getBean(RdmaServer.class).state()).isEqualTo(EndpointState.UP);
			Mockito.verifyNoInteractions(provider);
		});
	}

	@Test
	void theEphemeralPortOfAServerIsAPropertyWhileItListens() {
		this.contextRunner.withPropertyValues("rdma.servers.my-echo.port=0").run((context) -> {
			ConfigurableApplicationContext source = context
				.getSourceApplicationContext(ConfigurableApplicationContext.class);
			RdmaServer server = context.getBean("my-echo", RdmaServer.class);
			assertThat(port(source, "my-echo")).isPositive().isEqualTo(server.port());
			source.stop();
			assertThat(port(source, "my-echo")).isNull();
			source.start();
			assertThat(port(source, "my-echo")).isPositive().isEqualTo(server.port());
		});
	}

	@Test
	void onlyServersHaveAPortProperty() {
		this.contextRunner
			.withPropertyValues("rdma.clients.stock.address=127.0.0.1", "rdma.clients.stock.port=7471",
					"local.rdma.other=1")
			.run((context) -> {
				assertThat(port(context.getSourceApplicationContext(ConfigurableApplicationContext.class), "stock"))
					.isNull();
				assertThat(context.getEnvironment().getProperty("local.rdma.port")).isNull();
				assertThat(context.getEnvironment().getProperty("local.rdma.other")).isEqualTo("1");
			});
	}

	@Test
	void clientsFindTheirPeersAtTheAddressesOfTheFabric() {
		this.contextRunner
			.withPropertyValues("rdma.test.loopback.addresses=192.0.2.10,2001:db8::10",
					"rdma.clients.stock.address=192.0.2.10", "rdma.clients.stock.port=7471",
					"rdma.clients.stock.startup=required", "rdma.clients.stock6.address=2001:db8::10",
					"rdma.clients.stock6.port=7472", "rdma.clients.stock6.startup=required",
					"rdma.servers.six.address=2001:db8::10", "rdma.servers.six.port=7472")
			.run((context) -> {
				assertThat(context.getBean("stock", RdmaClient.class).state()).isEqualTo(EndpointState.UP);
				assertThat(context.getBean("stock6", RdmaClient.class).state()).isEqualTo(EndpointState.UP);
			});
	}

	@Test
	void aServerOnAllAddressesOutlivesTheRemovalOfTheDevice() {
		this.contextRunner
			.withPropertyValues("rdma.clients.stock.address=127.0.0.1", "rdma.clients.stock.port=7471",
					"rdma.clients.stock.startup=lazy")
			.run((context) -> {
				LoopbackFaults faults = context.getBean(LoopbackFaults.class);
				faults.removeDevice();
				assertThat(context.getBean(RdmaClient.class).connect()).failsWithin(10, TimeUnit.SECONDS);
				faults.insertDevice();
				assertThat(context.getBean(RdmaClient.class).connect()).succeedsWithin(10, TimeUnit.SECONDS);
				assertThat(context.getBean(RdmaServer.class).state()).isEqualTo(EndpointState.UP);
			});
	}

	@Test
	void aServerOnOneAddressThatLostItsDeviceListensAgainOnceTheDeviceIsBack() {
		this.contextRunner
			.withPropertyValues("rdma.test.loopback.addresses=192.0.2.10", "rdma.servers.echo.address=192.0.2.10")
			.run((context) -> {
				RdmaServer server = context.getBean(RdmaServer.class);
				LoopbackFaults faults = context.getBean(LoopbackFaults.class);
				faults.removeDevice();
				Awaitility.await().until(() -> server.state() == EndpointState.DOWN);
				assertThat(server.port()).isZero();
				faults.insertDevice();
				Awaitility.await().until(() -> server.state() == EndpointState.UP);
				assertThat(server.port()).isEqualTo(7471);
			});
	}

	@Test
	void aSilentPeerIsReachedAgainAfterHeal() {
		this.contextRunner
			.withPropertyValues("rdma.test.loopback.addresses=192.0.2.10", "rdma.clients.stock.address=192.0.2.10",
					"rdma.clients.stock.port=7471", "rdma.clients.stock.startup=lazy",
					"rdma.clients.stock.connect-timeout=100ms", "rdma.shutdown.disconnect-grace=100ms")
			.run((context) -> {
				LoopbackFaults faults = context.getBean(LoopbackFaults.class);
				RdmaClient client = context.getBean(RdmaClient.class);
				faults.silence(InetAddress.getByName("192.0.2.10"));
				assertThat(client.connect()).failsWithin(10, TimeUnit.SECONDS);
				faults.heal();
				assertThat(client.connect()).succeedsWithin(10, TimeUnit.SECONDS);
			});
	}

	private static Integer port(ConfigurableApplicationContext context, String name) {
		return context.getEnvironment().getProperty("local.rdma." + name + ".port", Integer.class);
	}

}
