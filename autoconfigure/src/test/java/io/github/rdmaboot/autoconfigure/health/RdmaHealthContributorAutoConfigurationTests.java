package io.github.rdmaboot.autoconfigure.health;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.autoconfigure.CheckedContexts;
import io.github.rdmaboot.autoconfigure.RdmaAutoConfiguration;
import io.github.rdmaboot.endpoint.DatagramPeer;
import io.github.rdmaboot.endpoint.EndpointState;
import io.github.rdmaboot.endpoint.RdmaDatagramEndpoint;
import io.github.rdmaboot.endpoint.RdmaServer;
import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.FaultingProvider.Fault;
import io.github.rdmaboot.provider.FaultingProvider.Kind;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RdmaHealthContributorAutoConfiguration}.
 */
class RdmaHealthContributorAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = CheckedContexts.runner()
		.withConfiguration(
				AutoConfigurations.of(RdmaAutoConfiguration.class, RdmaHealthContributorAutoConfiguration.class))
		.withPropertyValues("rdma.provider=loopback", "rdma.servers.echo.port=0");

	@Test
	void thereIsOneContributorForEachEndpointAndOneForTheDevices() {
		this.contextRunner.run((context) -> assertThat(
				context.getBean(CompositeHealthContributor.class).stream().map((entry) -> entry.name()))
			.containsExactly("echo", "devices"));
	}

	@Test
	void aListeningServerIsUp() {
		this.contextRunner.run((context) -> {
			Health health = health(context, "echo");
			assertThat(health.getStatus()).isEqualTo(Status.UP);
			assertThat(health.getDetails()).containsEntry("state", "UP")
				.containsEntry("provider", "loopback")
				.containsEntry("connections", 0)
				.containsKeys("address", "generation", "cmIdState")
				.doesNotContainKeys("error", "reason");
		});
	}

	@Test
	void aServerThatTheApplicationDestroyedIsOutOfService() {
		this.contextRunner.run((context) -> {
			context.getBean(RdmaServer.class).destroy();
			Health health = health(context, "echo");
			assertThat(health.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
			assertThat(health.getDetails()).containsKeys("reason", "lastDestroy");
		});
	}

	@Test
	void aServerWhoseDeviceWasRemovedIsDownAndSaysSo() throws UnknownHostException {
		LoopbackFabric fabric = new LoopbackFabric();
		fabric.addAddress(InetAddress.getByName("192.0.2.1"));
		this.contextRunner.withBean(RdmaProvider.class, () -> new LoopbackRdmaProvider(fabric))
			.withPropertyValues("rdma.servers.echo.address=192.0.2.1", "rdma.servers.echo.relisten.enabled=false")
			.run((context) -> {
				fabric.faults().removeDevice();
				RdmaServer server = context.getBean(RdmaServer.class);
				Awaitility.await().until(() -> server.state() == EndpointState.IDLE);
				Health health = health(context, "echo");
				assertThat(health.getStatus()).isEqualTo(Status.DOWN);
				assertThat(health.getDetails()).containsEntry("reason", "Its device was removed").containsKey("error");
			});
	}

	@Test
	void aServerThatWaitsForItsDeviceIsDownUntilItListensAgain() throws UnknownHostException {
		LoopbackFabric fabric = new LoopbackFabric();
		fabric.addAddress(InetAddress.getByName("192.0.2.1"));
		this.contextRunner.withBean(RdmaProvider.class, () -> new LoopbackRdmaProvider(fabric))
			.withPropertyValues("rdma.servers.echo.address=192.0.2.1", "rdma.servers.echo.relisten.max-backoff=200ms")
			.run((context) -> {
				fabric.faults().removeDevice();
				Awaitility.await().untilAsserted(() -> {
					Health health = health(context, "echo");
					assertThat(health.getStatus()).isEqualTo(Status.DOWN);
					assertThat(health.getDetails())
						.containsEntry("reason", "Its device was removed; it listens again when that is back")
						.containsKey("error");
					assertThat((String) health.getDetails().get("lastDestroy")).contains("trigger=device-removal");
				});
				fabric.faults().insertDevice();
				Awaitility.await()
					.untilAsserted(() -> assertThat(health(context, "echo").getStatus()).isEqualTo(Status.UP));
			});
	}

	@Test
	void aDatagramEndpointSaysWhetherItsDeviceOrItsQueuePairFailed() throws UnknownHostException {
		LoopbackFabric fabric = new LoopbackFabric();
		fabric.addAddress(InetAddress.getByName("192.0.2.1"));
		FaultingProvider faults = FaultingProvider.of(new LoopbackRdmaProvider(fabric), new CallOrder());
		this.contextRunner.withBean(RdmaProvider.class, faults::provider)
			.withPropertyValues("rdma.servers.echo.address=192.0.2.1", "rdma.datagrams.prices.address=192.0.2.1",
					"rdma.datagrams.prices.relisten.max-backoff=200ms")
			.run((context) -> {
				fabric.faults().removeDevice();
				Awaitility.await()
					.untilAsserted(
							() -> assertThat(health(context, "prices").getDetails()).containsEntry("state", "DOWN")
								.containsEntry("reason", "Its device was removed; it comes up again when that is back")
								.containsKeys("error", "lastDestroy"));
				fabric.faults().insertDevice();
				Awaitility.await()
					.untilAsserted(() -> assertThat(health(context, "prices").getStatus()).isEqualTo(Status.UP));
				RdmaDatagramEndpoint prices = context.getBean(RdmaDatagramEndpoint.class);
				DatagramPeer group = prices.join(InetAddress.getByName("239.1.2.3")).get(10, TimeUnit.SECONDS);
				int calls = faults.counts().get("ibvReqNotifyCq").get();
				faults.inject(new Fault("ibvReqNotifyCq", calls + 1, Kind.FAIL, Errno.EIO.value()));
				prices.send(group, ByteBuffer.allocate(1));
				Awaitility.await().until(() -> prices.state() == EndpointState.DOWN);
				assertThat(health(context, "prices").getDetails()).containsEntry("reason", "Its queue pair failed");
			});
	}

	@Test
	void aDatagramEndpointSaysThatItTriesToComeUpAgain() throws UnknownHostException {
		LoopbackFabric fabric = new LoopbackFabric();
		fabric.addAddress(InetAddress.getByName("192.0.2.1"));
		FaultingProvider faults = FaultingProvider.of(new LoopbackRdmaProvider(fabric), new CallOrder());
		this.contextRunner.withBean(RdmaProvider.class, faults::provider)
			.withPropertyValues("rdma.servers.echo.address=192.0.2.1", "rdma.datagrams.prices.address=192.0.2.1",
					"rdma.datagrams.prices.relisten.max-backoff=200ms")
			.run((context) -> {
				faults.inject(new Fault("ibvCreateCq", 2, Kind.BLOCK, 0));
				fabric.faults().removeDevice();
				fabric.faults().insertDevice();
				Awaitility.await().until(faults::isInjected);
				Health health = health(context, "prices");
				faults.release();
				assertThat(health.getStatus()).isEqualTo(Status.DOWN);
				assertThat(health.getDetails()).containsEntry("state", "STARTING")
					.containsEntry("reason", "Its device was removed, and it tries to come up again");
			});
	}

	@Test
	void aLazyClientIsUnknownBeforeItsFirstUse() {
		this.contextRunner
			.withPropertyValues("rdma.clients.lazy.address=127.0.0.1", "rdma.clients.lazy.port=7471",
					"rdma.clients.lazy.startup=lazy")
			.run((context) -> {
				Health health = health(context, "lazy");
				assertThat(health.getStatus()).isEqualTo(Status.UNKNOWN);
				assertThat((String) health.getDetails().get("reason")).contains("first asked for");
			});
	}

	@Test
	void devicesAreThoseOfTheStart() {
		this.contextRunner.run((context) -> {
			Health health = health(context, "devices");
			assertThat(health.getStatus()).isEqualTo(Status.UP);
			assertThat(health.getDetails()).containsEntry("provider", "loopback").hasSizeGreaterThan(1);
		});
	}

	@Test
	void devicesAreUnknownWhileNothingIsStarted() {
		this.contextRunner.withPropertyValues("rdma.lifecycle.auto-startup=false")
			.run((context) -> assertThat(health(context, "devices").getStatus()).isEqualTo(Status.UNKNOWN));
	}

	@Test
	void isAbsentWhenDisabled() {
		this.contextRunner.withPropertyValues("management.health.rdma.enabled=false")
			.run((context) -> assertThat(context).hasBean("echo").doesNotHaveBean("rdmaHealthContributor"));
	}

	@Test
	void isAbsentWithoutTheHealthModule() {
		this.contextRunner.withClassLoader(new FilteredClassLoader(HealthContributor.class))
			.run((context) -> assertThat(context).hasNotFailed()
				.hasBean("echo")
				.doesNotHaveBean("rdmaHealthContributor"));
	}

	private static Health health(ApplicationContext context, String name) {
		HealthIndicator indicator = (HealthIndicator) context.getBean(CompositeHealthContributor.class)
			.getContributor(name);
		assertThat(indicator).isNotNull();
		return indicator.health(true);
	}

}
