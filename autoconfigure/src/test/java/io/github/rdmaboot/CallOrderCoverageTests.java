package io.github.rdmaboot;

import java.util.Map;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import io.github.rdmaboot.autoconfigure.CheckedContexts;
import io.github.rdmaboot.autoconfigure.RdmaAutoConfiguration;
import io.github.rdmaboot.endpoint.RdmaClient;
import io.github.rdmaboot.endpoint.RdmaEndpoints;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.OrderedCalls;
import io.github.rdmaboot.provider.StopPlan;
import io.github.rdmaboot.provider.StopPlan.Phase;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the order of native calls is checked wherever a test has some made. The
 * contracts of the providers, which make wrong calls on purpose, are left out.
 */
class CallOrderCoverageTests {

	private static final Map<String, String> UNCHECKED = Map.of("CheckedEndpoints", "checks them", "CheckedContexts",
			"checks them", "ConnectedPair", "has pairs whose operations may allocate nothing", "RoundTripBenchmark",
			"measures", "ShutdownBenchmark", "measures", "TwoGuestsPeer", "is no test but a program", "MemoryOwner",
			"is no test but a program", "StuckAtExit", "is no test but a program");

	private final JavaClasses classes = new ClassFileImporter()
		.importUrl(CallOrderCoverageTests.class.getProtectionDomain().getCodeSource().getLocation());

	@Test
	void registriesAreMadeByTheOneThatChecksThem() {
		ArchRuleDefinition.noClasses()
			.that(areChecked())
			.should()
			.accessTargetWhere(constructs(RdmaEndpoints.class))
			.because("the order of their calls has to be checked, see CheckedEndpoints")
			.check(this.classes);
	}

	@Test
	void contextsAreMadeByTheOneThatChecksThem() {
		ArchRuleDefinition.noClasses()
			.that(areChecked())
			.should()
			.accessTargetWhere(
					constructs(ApplicationContextRunner.class).or(constructs(WebApplicationContextRunner.class)))
			.because("the order of their calls has to be checked, see CheckedContexts")
			.check(this.classes);
	}

	@Test
	void testsThatUseALayerBelowTheRegistryCheckIt() {
		ArchRuleDefinition.classes()
			.that(areChecked())
			.and(DescribedPredicate.describe("make an event channel, devices or what a registry starts",
					(type) -> type.getAccessesFromSelf().stream().anyMatch(CallOrderCoverageTests::startsLayer)))
			.should()
			.dependOnClassesThat()
			.belongToAnyOf(OrderedCalls.class, FaultingProvider.class)
			.check(this.classes);
	}

	@Test
	void aContextOfARunnerIsChecked() {
		long before = OrderedCalls.providers();
		CheckedContexts.runner()
			.withUserConfiguration(Application.class)
			.withPropertyValues("rdma.provider=loopback", "rdma.servers.echo.port=0")
			.run((context) -> assertThat(OrderedCalls.providers()).isEqualTo(before + 1));
	}

	@Test
	void anApplicationThatBootStartsIsChecked() {
		long before = OrderedCalls.providers();
		new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("rdma.provider=loopback", "rdma.servers.echo.port=0")
			.run()
			.close();
		assertThat(OrderedCalls.providers()).isEqualTo(before + 1);
	}

	@Test
	void thePartsOfAStopOfConnectedEndpointsAreSeen() {
		CheckedContexts.runner()
			.withUserConfiguration(Application.class)
			.withPropertyValues("rdma.provider=loopback", "rdma.servers.echo.port=7471",
					"rdma.clients.caller.address=127.0.0.1", "rdma.clients.caller.port=7471",
					"rdma.clients.caller.startup=required")
			.run((context) -> assertThat(context.getBean("caller", RdmaClient.class).connection()).isNotNull());
		assertThat(StopPlan.latestPhases()).containsExactly(Phase.LISTENERS, Phase.DISCONNECT, Phase.QUEUE_PAIRS,
				Phase.VERBS, Phase.IDS);
	}

	@Test
	void violationsFailTheTestThatHasThem() {
		assertThat(CallOrderCheck.isRegistered()).as("whether JUnit knows %s", CallOrderCheck.class).isTrue();
	}

	private static boolean startsLayer(JavaAccess<?> access) {
		String owner = access.getTargetOwner().getSimpleName();
		return switch (access.getName()) {
			case "<init>" -> owner.equals("Devices");
			case "open" -> owner.equals("EventChannel") || owner.equals("StartedRuntime");
			default -> false;
		};
	}

	private static DescribedPredicate<JavaClass> areChecked() {
		return DescribedPredicate.describe("are not left out", (type) -> !UNCHECKED.containsKey(type.getSimpleName()));
	}

	private static DescribedPredicate<JavaAccess<?>> constructs(Class<?> type) {
		return DescribedPredicate.describe("make a " + type.getSimpleName(),
				(access) -> access.getTargetOwner().isEquivalentTo(type) && access.getName().equals("<init>"));
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(RdmaAutoConfiguration.class)
	static class Application {

	}

}
