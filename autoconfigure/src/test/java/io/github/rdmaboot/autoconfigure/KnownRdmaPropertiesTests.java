package io.github.rdmaboot.autoconfigure;

import java.util.Map;

import io.github.rdmaboot.autoconfigure.UnknownRdmaPropertyException.UnknownProperty;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link KnownRdmaProperties}.
 */
class KnownRdmaPropertiesTests {

	@ParameterizedTest
	@ValueSource(strings = { "rdma.servers.echo.port", "rdma.servers.echo.queuePair.maxSendWr",
			"rdma.servers.echo.queue_pair.MAX-SEND-WR", "rdma.servers[weird.name].port",
			"rdma.clients.my-Echo.connection.retry-count", "rdma.lifecycle.phase", "rdma.clients.echo.local-address",
			"rdma.test.loopback.addresses", "rdmas.servers.echo.prt", "other.rdma.prt" })
	void propertiesThatExistMayBeWrittenInAnyForm(String property) {
		assertThatNoException().isThrownBy(() -> check(new MapPropertySource("test", Map.of(property, "1"))));
	}

	@Test
	void propertyWithoutAValueIsNotUnknown() {
		assertThatNoException().isThrownBy(() -> check(
				new MapPropertySource("test", Map.of("rdma.servers.echo.connection.tos", "", "rdma.servers", ""))));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			rdma.servers.other.prt                 | rdma.servers.other.port
			rdma.server.other.port                 | rdma.servers
			rdma.providr                           | rdma.provider
			rdma.clients.echo.reconect.enabled     | rdma.clients.echo.reconnect
			rdma.clients.echo.memory.bufferSizes   | rdma.clients.echo.memory.buffer-size
			rdma.servers[weird.name].prt           | rdma.servers[weird.name].port
			rdma.shutdown.timeouts                  | rdma.shutdown.timeout
			""")
	void unknownPropertyIsReportedWithWhatWasMeant(String property, String meant) {
		assertThatExceptionOfType(UnknownRdmaPropertyException.class)
			.isThrownBy(() -> check(new MapPropertySource("test", Map.of(property, "1"))))
			.satisfies((ex) -> assertThat(ex.properties()).singleElement()
				.satisfies((unknown) -> assertThat(unknown.candidates()).containsOnlyOnce(meant)));
	}

	@ParameterizedTest
	@CsvSource({ "rdma.servers.other.prot, rdma.servers.other.port", "rdma.clients.other.potr, rdma.clients.other.port",
			"rdma.servers.other.connection.tso, rdma.servers.other.connection.tos" })
	void swappedLettersAreOneMistake(String property, String meant) {
		assertThatExceptionOfType(UnknownRdmaPropertyException.class)
			.isThrownBy(() -> check(new MapPropertySource("test", Map.of(property, "1"))))
			.satisfies((ex) -> assertThat(ex.properties()).flatExtracting(UnknownProperty::candidates)
				.containsExactly(meant));
	}

	@Test
	void wherePropertiesAreNotAlikeAllAreNamed() {
		assertThatExceptionOfType(UnknownRdmaPropertyException.class)
			.isThrownBy(() -> check(new MapPropertySource("test", Map.of("rdma.servers.echo.memory.xyz", "1"))))
			.satisfies((ex) -> assertThat(ex.properties()).flatExtracting(UnknownProperty::candidates)
				.containsExactlyInAnyOrder("rdma.servers.echo.memory.buffer-size",
						"rdma.servers.echo.memory.buffer-count"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			rdma.servers.eu.orders.port                | true
			rdma.servers.eu.orders.queuePair.max       | true
			rdma.servers.orders.reconnect.enabled      | false
			rdma.clients.stock.shared-receive-queue.size | false
			""")
	void onlyWhatEndsAsASettingLooksLikeANameWithADot(String property, boolean dotted) {
		assertThatExceptionOfType(UnknownRdmaPropertyException.class)
			.isThrownBy(() -> check(new MapPropertySource("test", Map.of(property, "1"))))
			.satisfies((ex) -> assertThat(ex.properties()).singleElement()
				.satisfies((unknown) -> assertThat(unknown.dotted()).isEqualTo(dotted)));
	}

	@Test
	void environmentVariablesOfOthersAreNoProperties() {
		assertThatNoException().isThrownBy(() -> check(
				new SystemEnvironmentPropertySource(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
						Map.of("RDMA_PORT", "tcp://192.0.2.1:80", "RDMA_SERVICE_HOST", "192.0.2.1", "RDMA_ECHO_ADDRESS",
								"x", "RDMA_SERVERS_ECHO_QUEUEPAIR_MAXSENDWR", "3"))));
	}

	private static void check(PropertySource<?> source) {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources().forEach((other) -> environment.getPropertySources().remove(other.getName()));
		environment.getPropertySources().addFirst(source);
		KnownRdmaProperties known = new KnownRdmaProperties();
		ConfigurationPropertySources.attach(environment);
		Binder.get(environment).bindOrCreate("rdma", Bindable.of(RdmaProperties.class), known);
		known.requireNoOthers(ConfigurationPropertySources.get(environment));
	}

}
