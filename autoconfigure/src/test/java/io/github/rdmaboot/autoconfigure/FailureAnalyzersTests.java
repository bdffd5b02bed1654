package io.github.rdmaboot.autoconfigure;

import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.FileSystemException;
import java.util.List;
import java.util.function.Supplier;

import io.github.rdmaboot.endpoint.RdmaEndpointException;
import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.FaultingProvider.Fault;
import io.github.rdmaboot.provider.FaultingProvider.Kind;
import io.github.rdmaboot.provider.ProcessorList;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.RdmaUnavailableException;
import io.github.rdmaboot.provider.RdmaUnavailableException.Cause;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests for the failure analyzers, by what an application prints that fails to start.
 */
class FailureAnalyzersTests {

	@Test
	void unavailableRdmaIsExplainedWithTheFix() {
		assertThat(run(UnavailableConfiguration.class, "--rdma.servers.echo.port=7471"))
			.contains("APPLICATION FAILED TO START")
			.contains("RDMA cannot be used: there is no RDMA device")
			.contains("NO_DEVICE")
			.contains("Add one, says the test.")
			.contains("rdma.provider=auto")
			.contains("rdma.provider=loopback")
			.doesNotContain("\tat ");
	}

	@Test
	void aBadValueIsExplainedWithPropertyValueOriginAndRange() {
		assertThat(run(EmptyConfiguration.class, "--rdma.servers.echo.port=7471",
				"--rdma.servers.echo.connection.rnr-retry-count=9"))
			.contains("APPLICATION FAILED TO START")
			.contains("rdma.servers.echo.connection.rnr-retry-count is 9 but must be from 0 to 7")
			.contains("Value: \"9\"")
			.contains("Origin: \"rdma.servers.echo.connection.rnr-retry-count\" from property source "
					+ "\"commandLineArgs\"")
			.doesNotContain("\tat ");
	}

	@Test
	void privateDataThatIsTooLongIsExplainedWithValueOriginAndRange() {
		String data = "x".repeat(60);
		assertThat(run(EmptyConfiguration.class, "--rdma.clients.echo.address=192.0.2.1", "--rdma.clients.echo.port=1",
				"--rdma.clients.echo.connection.private-data=" + data))
			.contains("rdma.clients.echo.connection.private-data is 60B long but must be from 0B to 56B")
			.contains("Value: \"" + data + "\"")
			.contains("Origin: \"rdma.clients.echo.connection.private-data\" from property source")
			.contains("Change 'rdma.clients.echo.connection.private-data' as said above.");
	}

	@Test
	void misspeltPropertiesAreExplainedWithOriginAndWhatWasMeant() {
		assertThat(run(EmptyConfiguration.class, "--rdma.servers.echo.port=7471", "--rdma.servers.other.prt=7472",
				"--rdma.clinets.echo.port=7471", "--rdma.servers.echo.connection.retry-cuont=3"))
			.contains("APPLICATION FAILED TO START")
			.contains("Property: rdma.servers.other.prt")
			.contains("Origin: \"rdma.servers.other.prt\" from property source \"commandLineArgs\"")
			.contains("Did you mean: rdma.servers.other.port?")
			.contains("Did you mean: rdma.clients?")
			.contains("Did you mean: rdma.servers.echo.connection.retry-count?")
			.contains("Correct the names of these properties, or remove them.")
			.doesNotContain("brackets")
			.doesNotContain("\tat ");
	}

	@ParameterizedTest
	@CsvSource({ "rdma.servers.other.port, rdma.servers.other.port",
			"rdma.servers[eu.other].connection.tos, rdma.servers[eu.other].port",
			"rdma.clients.other.port, rdma.clients.other.address",
			"rdma.datagrams.other.tos, rdma.datagrams.other.address" })
	void anEndpointOfWhichNothingHasAValueIsMissed(String empty, String missing) {
		assertThat(run(EmptyConfiguration.class, "--" + empty + "=")).contains("APPLICATION FAILED TO START")
			.contains(missing + " is not set but must be.")
			.contains("Property: " + missing)
			.doesNotContain("\tat ");
	}

	@Test
	void aNameWithADotAndWithoutBracketsIsExplained() {
		assertThat(run(EmptyConfiguration.class, "--rdma.servers.a.b.port=7471"))
			.contains("Property: rdma.servers.a.b.port")
			.contains("needs brackets: rdma.servers[a.b].port")
			.doesNotContain("\tat ");
	}

	@ParameterizedTest
	@EnumSource(names = { "UNSUPPORTED_PLATFORM", "NATIVE_ACCESS_MISSING", "LIBRARY_UNKNOWN" })
	void noCallIsBlamedIfNoneFailed(Cause reason) {
		FailureAnalysis analysis = analyze(reason);
		assertThat(analysis.getDescription()).contains(reason.name()).doesNotContain("Call:", "EACCES");
	}

	@Test
	void theCallThatFailedIsNamed() {
		assertThat(analyze(Cause.CM_DEVICE_MISSING).getDescription()).contains("Call: dlopen, EACCES");
	}

	private static FailureAnalysis analyze(Cause reason) {
		return new RdmaUnavailableFailureAnalyzer().analyze(new IllegalStateException(),
				new RdmaUnavailableException(reason, "dlopen", Errno.EACCES.value(), "it failed", "Mend it."));
	}

	@Test
	void aMissingPortIsExplained() {
		assertThat(run(EmptyConfiguration.class, "--rdma.servers.myEcho.backlog=1"))
			.contains("rdma.servers.myEcho.port is not set but must be")
			.contains("Set 'rdma.servers.myEcho.port' as said above.")
			.doesNotContain("\tat ");
	}

	@Test
	void theSameNameAmongServersAndClientsIsExplained() {
		assertThat(run(EmptyConfiguration.class, "--rdma.servers.echo.port=7471", "--rdma.clients.echo.port=7471"))
			.contains("both need a bean named 'echo'")
			.contains("Give the endpoint 'echo' another name")
			.doesNotContain("\tat ");
	}

	@ParameterizedTest
	@CsvSource({ "rdma.servers, echo-one, echoone", "rdma.clients, stockA, stock-a", "rdma.datagrams, news, News" })
	void namesThatTheBinderCannotTellApartAreExplained(String map, String first, String second) {
		assertThat(run(EmptyConfiguration.class, "--" + map + "." + first + ".port=7471",
				"--" + map + "." + second + ".port=7472"))
			.containsPattern("The names '(" + first + "' and '" + second + "|" + second + "' and '" + first
					+ ")' under " + map + " cannot be told apart")
			.contains("of an environment variable a dash is an underscore")
			.containsPattern("Give the endpoint '(" + first + "|" + second + ")' another name")
			.doesNotContain("\tat ");
	}

	@ParameterizedTest
	@ValueSource(strings = { "environment", "systemProperties", "systemEnvironment", "applicationStartup",
			"conversionService", "loadTimeWeaver", "bootstrapExecutor", "messageSource", "applicationEventMulticaster",
			"lifecycleProcessor", "taskScheduler", "taskExecutor" })
	void anEndpointCannotTakeThePlaceOfABeanOfSpring(String name) {
		assertThat(run(EmptyConfiguration.class, "--rdma.servers." + name + ".port=7471"))
			.contains("The name '" + name + "' under rdma.servers cannot be used: Spring itself")
			.contains("Give the endpoint '" + name + "' another name")
			.doesNotContain("\tat ");
	}

	@Test
	void aBeanOfTheNameOfAnEndpointIsExplainedIfItIsRegisteredAfterTheEndpoint() {
		assertThat(run(LateBeanConfiguration.class, "--rdma.servers.late.port=7471"))
			.contains("The RDMA endpoint 'late' needs a bean named 'late'")
			.contains("LateBeanAutoConfiguration")
			.contains("Rename that bean, or the endpoint under 'rdma.servers'")
			.doesNotContain("\tat ");
	}

	@Test
	void aBeanOfTheNameOfAnEndpointIsExplained() {
		assertThat(run(EchoBeanConfiguration.class, "--rdma.servers.echo.port=7471"))
			.contains("The RDMA endpoint 'echo' needs a bean named 'echo'")
			.contains("EchoBeanConfiguration")
			.contains("Rename that bean, or the endpoint under 'rdma.servers'")
			.doesNotContain("\tat ");
	}

	@Test
	void aCpuThatTheProcessDoesNotHaveIsExplained() {
		assertThat(run(FabricConfiguration.class, "--rdma.servers.echo.port=7471",
				"--rdma.servers.echo.address=192.0.2.1", "--rdma.servers.echo.completion.cpu=8191"))
			.contains("APPLICATION FAILED TO START")
			.contains("RDMA server 'echo' could not be started")
			.contains("completion.cpu is 8191 but must be a CPU that this process may use, of "
					+ ProcessorList.ofThisProcess())
			.contains("sched_setaffinity, EINVAL")
			.contains("Set 'rdma.servers.echo.completion.cpu' to one of the CPUs of this process, or leave it out.")
			.doesNotContain("\tat ");
	}

	@Test
	void twoServersOnOnePortAreExplained() {
		assertThat(run(FabricConfiguration.class, "--rdma.servers.first.port=7471",
				"--rdma.servers.first.address=192.0.2.1", "--rdma.servers.second.port=7471",
				"--rdma.servers.second.address=192.0.2.1"))
			.contains("APPLICATION FAILED TO START")
			.containsPattern("RDMA server '(first|second)' could not be started")
			.contains("Address: 192.0.2.1:7471")
			.contains("rdma_bind_addr, EADDRINUSE")
			.containsPattern("rdma.servers.(first|second).port")
			.doesNotContain("\tat ");
	}

	@Test
	void twoServersOnOnePortOfAllAddressesAreExplained() {
		assertThat(run(EmptyConfiguration.class, "--rdma.servers.first.port=7471", "--rdma.servers.second.port=7471"))
			.contains("rdma_bind_addr, EADDRNOTAVAIL")
			.contains("another listener has the port")
			.containsPattern("rdma.servers.(first|second).port")
			.doesNotContain("\tat ");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			EADDRINUSE    | rdma.servers.echo.port
			EADDRNOTAVAIL | rdma.servers.echo.address
			ENODEV        | rdma.servers.echo.address
			EACCES        | CAP_NET_BIND_SERVICE
			ENOENT        | rdma.servers.echo.address
			EMFILE        | LimitNOFILE
			ENOMEM        | LimitMEMLOCK
			EINVAL        | ibv_devinfo
			ENOSYS        | rdma.servers.echo
			EADDRNOTAVAIL | another listener has the port
			""")
	void theActionFollowsTheErrnoOfAServer(Errno errno, String action) {
		FailureAnalysis analysis = analyze("echo", errno);
		assertThat(analysis.getDescription()).contains("'echo'", "192.0.2.1:7471", "rdma_call", errno.name());
		assertThat(analysis.getAction()).contains(action);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			EADDRNOTAVAIL | rdma.clients.remote.local-address
			ENODEV        | rdma.clients.remote.local-address
			ENOENT        | rdma.clients.remote.address
			ENETUNREACH   | rdma.clients.remote.connect-timeout
			ECONNREFUSED  | rdma.clients.remote.port
			ECONNREFUSED  | rdma.clients.remote.startup
			""")
	void theActionFollowsTheErrnoOfAClient(Errno errno, String action) {
		assertThat(analyze("remote", errno).getAction()).contains(action);
	}

	@ParameterizedTest
	@CsvSource({ "rdma_resolve_addr", "rdma_resolve_route", "rdma_connect" })
	void aTimeoutOfACallThatWaitsForThePeerIsExplainedByThePeer(String call) {
		assertThat(analyze("remote", call, Errno.ETIMEDOUT).getAction()).contains("Check that the peer is up",
				"rdma.clients.remote.connect-timeout", "rdma.clients.remote.startup");
	}

	@ParameterizedTest
	@CsvSource({ "echo, rdma_bind_addr, rdma.call-timeout", "echo, sched_setaffinity, rdma.call-timeout",
			"remote, sched_setaffinity, rdma.call-timeout",
			"remote, rdma_create_id, rdma.clients.remote.resolve-timeout",
			"remote, ibv_reg_mr, rdma.clients.remote.connect-timeout",
			"remote, rdma_create_qp, rdma.clients.remote.connect-timeout", "prices, ibv_reg_mr, rdma.call-timeout" })
	void aTimeoutOfACallThatWaitsForNobodyIsExplainedByDriverAndKernelAndTheLimitThatItHas(String endpoint, String call,
			String limit) {
		assertThat(analyze(endpoint, call, Errno.ETIMEDOUT).getAction())
			.contains(call + " waits for no peer", "dmesg", "raise '" + limit + "'")
			.doesNotContain("peer is up", "startup", "completion.cpu");
	}

	@Test
	void aNameServiceThatDoesNotAnswerIsExplained() {
		assertThat(analyze("remote", "getaddrinfo", Errno.ETIMEDOUT).getAction()).contains("name service",
				"rdma.clients.remote.address", "rdma.clients.remote.local-address");
		assertThat(analyze("echo", "getaddrinfo", Errno.ETIMEDOUT).getAction()).contains("rdma.servers.echo.address")
			.doesNotContain("local-address");
	}

	@Test
	void anUnknownHostIsExplainedWithEachPropertyThatMayNameIt() {
		assertThat(analyze("remote", "getaddrinfo", Errno.ENOENT).getAction()).contains("the host name is not known",
				"rdma.clients.remote.address", "rdma.clients.remote.local-address");
		assertThat(analyze("prices", "getaddrinfo", Errno.ENOENT).getAction())
			.contains("the host name is not known", "rdma.datagrams.prices.address")
			.doesNotContain("local-address");
	}

	@Test
	void aGroupThatDoesNotAnswerIsExplainedWithItsLimit() {
		assertThat(analyze("prices", "rdma_join_multicast", Errno.ETIMEDOUT).getAction())
			.contains("rdma.datagrams.prices.multicast.groups", "rdma.datagrams.prices.connect-timeout");
	}

	@ParameterizedTest
	@CsvSource({ "sched_setaffinity", "rdma_listen" })
	void anInterruptIsExplainedByNoSetting(String call) {
		assertThat(analyze("echo", call, Errno.EINTR).getAction()).contains("was interrupted")
			.doesNotContain("rdma.servers");
	}

	@Test
	void aPeerThatRejectsWithAReasonIsNotTakenForOneThatDoesNotListen() {
		assertThat(
				run(FabricConfiguration.class, "--rdma.servers.echo.port=7471", "--rdma.servers.echo.address=192.0.2.1",
						"--rdma.servers.echo.queue-pair.max-send-wr=1000000", "--rdma.clients.remote.address=192.0.2.1",
						"--rdma.clients.remote.port=7471", "--rdma.clients.remote.startup=required"))
			.contains("the peer says 'not accepted")
			.contains("its log may say more. To start without the peer")
			.doesNotContain("Check that the peer listens");
	}

	@Test
	void onlyAClientThatTheStartWaitsForIsSaidToBeOptional() {
		FailureAnalysis analysis = new RdmaEndpointFailureAnalyzer(new MockEnvironment())
			.analyze(new IllegalStateException(), new RdmaEndpointException("remote", "192.0.2.1:7471", "rdma_connect",
					Errno.ECONNREFUSED.value(), null, null));
		assertThat(analysis.getAction()).contains("Check that the peer listens").doesNotContain("startup", "{");
	}

	@ParameterizedTest
	@CsvSource({ "ibv_reg_mr, ENOMEM, Raise the limit of locked memory (", "ibv_reg_mr, EPERM, LimitMEMLOCK",
			"ibv_reg_mr_iova2, EPERM, memlock=-1", "ByteBuffer.allocateDirect, ENOMEM, -XX:MaxDirectMemorySize" })
	void memoryThatCannotBeRegisteredIsExplainedWithItsLimit(String call, Errno errno, String action) {
		FailureAnalysis analysis = analyze(
				new RdmaEndpointException("remote", "192.0.2.1:7471", call, errno.value(), null, null));
		assertThat(analysis.getAction()).contains(action, "rdma.clients.remote.memory.buffer-size");
	}

	@Test
	void poolThatIsUsedUpIsExplainedWithItsBound() {
		assertThat(
				run(FabricConfiguration.class, "--rdma.servers.echo.port=7471", "--rdma.servers.echo.address=192.0.2.1",
						"--rdma.clients.big.address=192.0.2.1", "--rdma.clients.big.port=7471",
						"--rdma.clients.big.startup=required", "--rdma.clients.big.memory.buffer-size=1MB",
						"--rdma.memory.pool.slab-size=1MB", "--rdma.memory.pool.max-size=16MB"))
			.contains("rdma.memory.pool.max-size is 16777216 bytes")
			.contains("Raise 'rdma.memory.pool.max-size'")
			.contains("rdma.clients.big.memory.buffer-size")
			.doesNotContain("\tat ");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			EMFILE    | LimitNOFILE
			ENFILE    | ulimit -n
			EACCES    | /dev/infiniband
			EPERM     | DevicePolicy
			ENOMEM    | dmesg
			ETIMEDOUT | If it only takes long, raise 'rdma.call-timeout'
			""")
	void aCallThatIsForNoEndpointAloneIsExplained(Errno errno, String action) {
		assertThat(run(FailingProviderConfiguration.class, "--rdma.servers.echo.port=7471", "--test.errno=" + errno))
			.contains("APPLICATION FAILED TO START")
			.contains("RDMA could not be started.")
			.contains("Call: rdma_create_event_channel, " + errno)
			.contains("Reason: rdma_create_event_channel failed with")
			.contains(action)
			.doesNotContain("\tat ");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			Too many open files           | EMFILE | LimitNOFILE
			Too many open files in system | EMFILE | LimitNOFILE
			Input/output error            | EIO    | dmesg
			""")
	void filesOfTheDevicesThatCannotBeReadAreExplained(String reason, Errno errno, String action) {
		assertThat(
				run(UnreadableDevicesConfiguration.class, "--rdma.servers.echo.port=7471", "--test.reason=" + reason))
			.contains("APPLICATION FAILED TO START")
			.contains("Call: open, " + errno)
			.contains("Cannot list /sys/class/infiniband: /sys/class/infiniband: " + reason)
			.contains(action)
			.doesNotContain("\tat ");
	}

	@Test
	void anOperationOfTheApplicationThatFailsAtTheStartIsNoFailureOfTheOpening() {
		assertThat(run(FailingRunnerConfiguration.class, "--rdma.servers.echo.port=7471"))
			.doesNotContain("RDMA could not be started")
			.contains("Application run failed")
			.contains("the write did not end in time");
	}

	@Test
	void limitOfLockedMemoryIsReadAsTheKernelWritesIt() {
		assertThat(LockedMemoryLimit
			.describe(List.of("Limit                     Soft Limit           Hard Limit           Units     ",
					"Max locked memory         65536                unlimited            bytes     ")))
			.isEqualTo(" (65536 bytes now, unlimited as a user may raise it)");
		assertThat(LockedMemoryLimit.describe(List.of("Max open files   1024   1024   files"))).isEmpty();
	}

	private static FailureAnalysis analyze(String endpoint, Errno errno) {
		return analyze(endpoint, "rdma_call", errno);
	}

	private static FailureAnalysis analyze(String endpoint, String call, Errno errno) {
		return analyze(new RdmaEndpointException(endpoint, "192.0.2.1:7471", call, errno.value(), null, null));
	}

	private static FailureAnalysis analyze(RdmaEndpointException failure) {
		MockEnvironment environment = new MockEnvironment().withProperty("rdma.servers.echo.port", "7471")
			.withProperty("rdma.clients.remote.startup", "required")
			.withProperty("rdma.datagrams.prices.address", "192.0.2.1");
		return new RdmaEndpointFailureAnalyzer(environment).analyze(new IllegalStateException(), failure);
	}

	private static String run(Class<?> configuration, String... arguments) {
		try (ConsoleOutput output = new ConsoleOutput()) {
			assertThatException()
				.isThrownBy(() -> new SpringApplicationBuilder(configuration).web(WebApplicationType.NONE)
					.properties("rdma.provider=loopback")
					.run(arguments));
			return output.toString();
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class EmptyConfiguration {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class FabricConfiguration {

		@Bean
		RdmaProvider provider() throws UnknownHostException {
			LoopbackFabric fabric = new LoopbackFabric();
			fabric.addAddress(InetAddress.getByName("192.0.2.1"));
			return new LoopbackRdmaProvider(fabric);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class FailingRunnerConfiguration {

		@Bean
		ApplicationRunner failing() {
			return (arguments) -> {
				throw new RdmaException("ibv_poll_cq", Errno.ETIMEDOUT.value(), "the write did not end in time");
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class FailingProviderConfiguration {

		@Bean
		RdmaProvider provider(@Value("${test.errno}") Errno errno) {
			FaultingProvider faulting = FaultingProvider.of(new LoopbackRdmaProvider(new LoopbackFabric()),
					new CallOrder());
			faulting.inject(new Fault("rdmaCreateEventChannel", 1, Kind.FAIL, errno.value()));
			return faulting.provider();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class UnreadableDevicesConfiguration {

		@Bean
		RdmaProvider provider(@Value("${test.reason}") String reason) {
			String devices = "/sys/class/infiniband";
			RdmaProvider target = new LoopbackRdmaProvider(new LoopbackFabric());
			return (RdmaProvider) Proxy.newProxyInstance(RdmaProvider.class.getClassLoader(),
					new Class<?>[] { RdmaProvider.class }, (proxy, method, arguments) -> {
						if (method.getName().equals("describeDevices")) {
							throw new UncheckedIOException("Cannot list " + devices,
									new FileSystemException(devices, null, reason));
						}
						return method.invoke(target, arguments);
					});
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class EchoBeanConfiguration {

		@Bean
		String echo() {
			return "echo";
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ RdmaAutoConfiguration.class, LateBeanAutoConfiguration.class })
	static class LateBeanConfiguration {

	}

	@AutoConfiguration(after = RdmaAutoConfiguration.class)
	static class LateBeanAutoConfiguration {

		@Bean
		String late() {
			return "late";
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class UnavailableConfiguration {

		@Bean
		@Scope("prototype")
		RdmaProvider provider() {
			Supplier<RdmaProvider> missing = () -> {
				throw new RdmaUnavailableException(Cause.NO_DEVICE, "ibv_get_device_list", Errno.ENODEV.value(),
						"there is no RDMA device", "Add one, says the test.");
			};
			return missing.get();
		}

	}

}
