package io.github.rdmaboot.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

import io.github.rdmaboot.cm.CmId;
import io.github.rdmaboot.endpoint.EndpointState;
import io.github.rdmaboot.endpoint.RdmaClient;
import io.github.rdmaboot.endpoint.RdmaEndpoint;
import io.github.rdmaboot.endpoint.RdmaEndpoints;
import io.github.rdmaboot.endpoint.RdmaServer;
import io.github.rdmaboot.endpoint.destroy.DestroyListener;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackResources;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests for {@link RdmaAutoConfiguration} and {@link RdmaEndpointRegistrar}.
 */
class RdmaAutoConfigurationTests {

	private final ApplicationContextRunner contextRunner = CheckedContexts.runner()
		.withConfiguration(AutoConfigurations.of(RdmaAutoConfiguration.class))
		.withPropertyValues("rdma.provider=loopback");

	private final ApplicationContextRunner echoRunner = this.contextRunner.withPropertyValues(
			"rdma.servers.echo.port=0", "rdma.clients.echo-client.address=127.0.0.1",
			"rdma.clients.echo-client.port=7471", "rdma.clients.echo-client.startup=lazy");

	@Test
	void registersABeanForEachEndpointAndItsCmId() {
		this.echoRunner.run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean("echo")).isInstanceOf(RdmaServer.class);
			assertThat(context.getBean("echo-client")).isInstanceOf(RdmaClient.class);
			assertThat(context.getBean("echo.cmId")).isSameAs(context.getBean("echo", RdmaServer.class).cmId());
			assertThat(context.getBeansOfType(CmId.class)).containsOnlyKeys("echo.cmId", "echo-client.cmId");
			assertThat(context.getBean("echo", RdmaServer.class).state()).isEqualTo(EndpointState.UP);
		});
	}

	@Test
	void endpointsAreInjectedByQualifierAndAsMap() {
		this.echoRunner.withUserConfiguration(InjectionConfiguration.class).run((context) -> {
			Injected injected = context.getBean(Injected.class);
			assertThat(injected.server().name()).isEqualTo("echo");
			assertThat(injected.client().name()).isEqualTo("echo-client");
			assertThat(injected.all()).containsOnlyKeys("echo", "echo-client");
			assertThat(injected.id()).isSameAs(injected.client().cmId());
		});
	}

	@Test
	void namesOfBeansAreAsWritten() {
		this.contextRunner.withPropertyValues("rdma.servers.myEcho.port=0", "rdma.servers[weird.name].port=0")
			.run((context) -> assertThat(context).hasBean("myEcho")
				.hasBean("myEcho.cmId")
				.hasBean("weird.name")
				.hasBean("weird.name.cmId"));
	}

	@Test
	void nothingIsConfiguredWhenDisabled() {
		this.echoRunner.withPropertyValues("rdma.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(RdmaEndpoints.class)
				.doesNotHaveBean("echo")
				.doesNotHaveBean(RdmaLifecycle.class));
	}

	@Test
	void withoutEndpointsNoProviderIsOpened() {
		this.contextRunner.withPropertyValues("rdma.provider=native").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(RdmaEndpoints.class).providerName()).isNull();
		});
	}

	@Test
	void withoutAutoStartupNothingIsStarted() {
		this.echoRunner.withPropertyValues("rdma.lifecycle.auto-startup=false").run((context) -> {
			assertThat(context.getBean(RdmaEndpoints.class).isRunning()).isFalse();
			assertThat(context.getBean("echo", RdmaServer.class).state()).isEqualTo(EndpointState.IDLE);
		});
	}

	@Test
	void startsEndpointsWhenBeansAreLazy() {
		this.echoRunner
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.run((context) -> assertThat(context.getBean("echo", RdmaServer.class).state())
				.isEqualTo(EndpointState.UP));
	}

	@Test
	void aProviderBeanTakesThePlaceOfTheConfiguredProvider() {
		this.echoRunner.withPropertyValues("rdma.provider=native")
			.withBean(RdmaProvider.class, () -> new LoopbackRdmaProvider(new LoopbackFabric()))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(RdmaEndpoints.class).providerName()).isEqualTo("loopback");
			});
	}

	@Test
	void theSameNameAmongServersAndClientsIsRefused() {
		this.echoRunner.withPropertyValues("rdma.clients.echo.address=127.0.0.1", "rdma.clients.echo.port=7471")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidRdmaNameException.class)
				.hasMessageContaining("'echo' under rdma.servers")
				.hasMessageContaining("'echo' under rdma.clients"));
	}

	@Test
	void aNameThatIsTheCmIdOfAnotherIsRefused() {
		this.echoRunner.withPropertyValues("rdma.servers[echo.cmId].port=0")
			.run((context) -> assertThat(context).getFailure().isInstanceOf(InvalidRdmaNameException.class));
	}

	@Test
	void theNameOfTheDevicesIsRefused() {
		this.contextRunner.withPropertyValues("rdma.servers.devices.port=0")
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidRdmaNameException.class)
				.hasMessageContaining("'devices' under rdma.servers"));
	}

	@Test
	void listenersAmongTheBeansLearnOfDestroys() {
		List<DestroyReport> reports = new CopyOnWriteArrayList<>();
		this.echoRunner.withBean(DestroyListener.class, () -> reports::add).run((context) -> {
			context.getBean("echo", RdmaServer.class).destroy();
			assertThat(reports).extracting(DestroyReport::endpoint, DestroyReport::trigger)
				.containsExactly(tuple("echo", DestroyTrigger.MANUAL));
			context.getSourceApplicationContext().close();
			assertThat(reports).extracting(DestroyReport::trigger).contains(DestroyTrigger.SHUTDOWN);
		});
	}

	@Test
	void destroyReportsAreApplicationEvents() {
		this.echoRunner.withUserConfiguration(EventConfiguration.class).run((context) -> {
			EventConfiguration events = context.getBean(EventConfiguration.class);
			context.getSourceApplicationContext().close();
			assertThat(events.reports).extracting(DestroyReport::endpoint).contains("echo");
		});
	}

	@Test
	void aListenerThatThrowsDoesNotDisturbTheClose() {
		this.echoRunner.withUserConfiguration(ThrowingConfiguration.class).run((context) -> {
			RdmaServer server = context.getBean("echo", RdmaServer.class);
			context.getSourceApplicationContext().close();
			assertThat(server.state()).isEqualTo(EndpointState.IDLE);
		});
	}

	@Test
	void twoContextsOfOneProcessDoNotDisturbEachOther() {
		this.echoRunner.run((first) -> {
			this.echoRunner.run((second) -> assertThat(second.getBean("echo")).isNotSameAs(first.getBean("echo")));
			assertThat(first.getBean("echo", RdmaServer.class).state()).isEqualTo(EndpointState.UP);
		});
	}

	@Test
	void refreshingAndClosingAgainAndAgainLeavesNothing() {
		LoopbackFabric fabric = new LoopbackFabric();
		ApplicationContextRunner runner = this.contextRunner
			.withBean(RdmaProvider.class, () -> new LoopbackRdmaProvider(fabric))
			.withPropertyValues("rdma.servers.a.port=7471", "rdma.servers.b.port=7472", "rdma.servers.c.port=7473",
					"rdma.clients.d.address=127.0.0.1", "rdma.clients.d.port=7471", "rdma.clients.d.startup=required",
					"rdma.clients.e.address=127.0.0.1", "rdma.clients.e.port=7472",
					"rdma.clients.e.startup=background");
		LoopbackResources before = fabric.resources();
		Set<Thread> threads = liveThreads();
		for (int i = 0; i < 20; i++) {
			runner.run((context) -> assertThat(context.getBeansOfType(RdmaEndpoint.class)).hasSize(5));
		}
		assertThat(fabric.resources()).usingRecursiveComparison().ignoringFields("timers").isEqualTo(before);
		Awaitility.await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
			List<Thread> left = new ArrayList<>(liveThreads());
			left.removeAll(threads);
			assertThat(left).filteredOn((thread) -> thread.getName().contains("rdma")).isEmpty();
		});
	}

	@Test
	void aFailedStartLeavesNothing() {
		LoopbackFabric fabric = new LoopbackFabric();
		this.contextRunner.withBean(RdmaProvider.class, () -> new LoopbackRdmaProvider(fabric))
			.withPropertyValues("rdma.servers.a.port=7471", "rdma.servers.b.port=7471")
			.run((context) -> assertThat(context).hasFailed());
		assertThat(fabric.resources()).isEqualTo(new LoopbackFabric().resources());
	}

	private static Set<Thread> liveThreads() {
		return Thread.getAllStackTraces().keySet().stream().filter(Thread::isAlive).collect(Collectors.toSet());
	}

	record Injected(RdmaServer server, RdmaClient client, Map<String, RdmaEndpoint> all, CmId id) {

	}

	@Configuration(proxyBeanMethods = false)
	static class InjectionConfiguration {

		@Bean
		Injected injected(@Qualifier("echo") RdmaServer server, @Qualifier("echo-client") RdmaClient client,
				Map<String, RdmaEndpoint> all, @Qualifier("echo-client.cmId") CmId id) {
			return new Injected(server, client, all, id);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class EventConfiguration {

		private final List<DestroyReport> reports = new CopyOnWriteArrayList<>();

		@EventListener
		void onReport(DestroyReport report) {
			this.reports.add(report);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ThrowingConfiguration {

		@EventListener
		void onReport(DestroyReport report) {
			throw new IllegalStateException("listener fails on " + report.endpoint());
		}

	}

}
