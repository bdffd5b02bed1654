package io.github.rdmaboot.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import io.github.rdmaboot.endpoint.ClientSettings;
import io.github.rdmaboot.endpoint.ClientStartup;
import io.github.rdmaboot.endpoint.CompletionSettings;
import io.github.rdmaboot.endpoint.ConnectionSettings;
import io.github.rdmaboot.endpoint.FlowControl;
import io.github.rdmaboot.endpoint.HandlerThread;
import io.github.rdmaboot.endpoint.MemoryPoolSettings;
import io.github.rdmaboot.endpoint.MemorySettings;
import io.github.rdmaboot.endpoint.MessageSettings;
import io.github.rdmaboot.endpoint.OversizedMessages;
import io.github.rdmaboot.endpoint.QueuePairSettings;
import io.github.rdmaboot.endpoint.ReconnectSettings;
import io.github.rdmaboot.endpoint.ServerSettings;
import io.github.rdmaboot.endpoint.ShutdownSettings;
import io.github.rdmaboot.endpoint.WhenFull;
import io.github.rdmaboot.verbs.CompletionMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link RdmaProperties} and {@link SettingsConverter}.
 */
class RdmaPropertiesTests {

	private static final MemorySettings COMMON_MEMORY = new MemorySettings(4096, 8,
			new MessageSettings(OversizedMessages.FRAGMENT, 1 << 20));

	private final Map<String, String> source = new LinkedHashMap<>();

	@Test
	void defaultsAreThoseOfTheDocumentation() {
		RdmaProperties properties = bind();
		assertThat(properties.enabled()).isTrue();
		assertThat(properties.provider()).isEqualTo(RdmaProviderType.NATIVE);
		assertThat(properties.lifecycle().phase()).isEqualTo(Integer.MIN_VALUE + 1024);
		assertThat(properties.lifecycle().autoStartup()).isTrue();
		assertThat(properties.servers()).isEmpty();
		assertThat(properties.clients()).isEmpty();
		assertThat(SettingsConverter.shutdown(properties.shutdown())).isEqualTo(ShutdownSettings.defaults());
		assertThat(SettingsConverter.memoryPool(properties.memory().pool())).isEqualTo(MemoryPoolSettings.defaults());
	}

	@Test
	void serverNeedsNothingButAPort() {
		this.source.put("rdma.servers.echo.port", "0");
		ServerSettings settings = SettingsConverter.server("echo", bind().servers().get("echo"));
		assertThat(settings.name()).isEqualTo("echo");
		assertThat(settings.address()).isEqualTo("*");
		assertThat(settings.backlog()).isEqualTo(128);
		assertThat(settings.memory()).isEqualTo(new MemorySettings(16384, 16));
		assertThat(settings.queuePair()).isEqualTo(new QueuePairSettings(16, 16, 1, 1, 0));
		assertThat(settings.connection()).usingRecursiveComparison()
			.isEqualTo(new ConnectionSettings(1, 1, 6, 7, new byte[0], null, null));
	}

	@Test
	void clientNeedsNothingButTheAddressOfThePeer() {
		this.source.put("rdma.clients.echo.address", "peer");
		this.source.put("rdma.clients.echo.port", "7471");
		ClientSettings settings = SettingsConverter.client("echo", bind().clients().get("echo"));
		assertThat(settings.localAddress()).isNull();
		assertThat(settings.resolveTimeout()).isEqualTo(Duration.ofSeconds(2));
		assertThat(settings.connectTimeout()).isEqualTo(Duration.ofSeconds(5));
		assertThat(settings.startup()).isEqualTo(ClientStartup.BACKGROUND);
		assertThat(settings.reconnect())
			.isEqualTo(new ReconnectSettings(true, Duration.ofMillis(100), Duration.ofSeconds(10), 0.2, 0));
	}

	@Test
	void requestsThatMayBeOutstandingFollowTheNumberOfBuffers() {
		this.source.put("rdma.servers.echo.port", "7471");
		this.source.put("rdma.servers.echo.memory.buffer-count", "64");
		this.source.put("rdma.servers.echo.queue-pair.max-recv-wr", "100");
		ServerSettings settings = SettingsConverter.server("echo", bind().servers().get("echo"));
		assertThat(settings.queuePair()).isEqualTo(new QueuePairSettings(64, 100, 1, 1, 0));
	}

	@Test
	void everyPropertyOfAServerIsBound() {
		String server = "rdma.servers.echo.";
		this.source.put(server + "address", "192.0.2.1");
		this.source.put(server + "port", "7471");
		this.source.put(server + "backlog", "7");
		this.source.put(server + "shared-receive-queue.size", "99");
		this.source.put(server + "relisten.enabled", "false");
		this.source.put(server + "relisten.initial-backoff", "2s");
		this.source.put(server + "relisten.max-backoff", "3s");
		this.source.put(server + "relisten.jitter", "0.5");
		this.source.put(server + "relisten.max-attempts", "4");
		putCommon(server);
		ServerSettings settings = SettingsConverter.server("echo", bind().servers().get("echo"));
		assertThat(settings).usingRecursiveComparison()
			.isEqualTo(new ServerSettings("echo", "192.0.2.1", 7471, 7,
					new QueuePairSettings(11, 12, 2, 3, 64, WhenFull.PARK, Duration.ofSeconds(3), 9),
					commonConnection(), COMMON_MEMORY,
					new CompletionSettings(CompletionMode.ADAPTIVE, Duration.ofMillis(2), 1,
							HandlerThread.COMPLETION_THREAD),
					new ReconnectSettings(false, Duration.ofSeconds(2), Duration.ofSeconds(3), 0.5, 4), 99));
	}

	@Test
	void everyPropertyOfAClientIsBound() {
		String client = "rdma.clients.echo.";
		this.source.put(client + "address", "192.0.2.1");
		this.source.put(client + "port", "7471");
		this.source.put(client + "local-address", "192.0.2.2");
		this.source.put(client + "resolve-timeout", "3s");
		this.source.put(client + "connect-timeout", "4s");
		this.source.put(client + "startup", "lazy");
		this.source.put(client + "reconnect.enabled", "false");
		this.source.put(client + "reconnect.initial-backoff", "1s");
		this.source.put(client + "reconnect.max-backoff", "2s");
		this.source.put(client + "reconnect.jitter", "0.5");
		this.source.put(client + "reconnect.max-attempts", "9");
		putCommon(client);
		ClientSettings settings = SettingsConverter.client("echo", bind().clients().get("echo"));
		assertThat(settings).usingRecursiveComparison()
			.isEqualTo(new ClientSettings("echo", "192.0.2.1", 7471, "192.0.2.2", Duration.ofSeconds(3),
					Duration.ofSeconds(4), ClientStartup.LAZY,
					new ReconnectSettings(false, Duration.ofSeconds(1), Duration.ofSeconds(2), 0.5, 9),
					new QueuePairSettings(11, 12, 2, 3, 64, WhenFull.PARK, Duration.ofSeconds(3), 9),
					commonConnection(), COMMON_MEMORY, new CompletionSettings(CompletionMode.ADAPTIVE,
							Duration.ofMillis(2), 1, HandlerThread.COMPLETION_THREAD)));
	}

	@Test
	void aLocalAddressWithoutAValueLeavesItToTheRoute() {
		this.source.put("rdma.clients.echo.address", "192.0.2.1");
		this.source.put("rdma.clients.echo.port", "7471");
		this.source.put("rdma.clients.echo.local-address", "");
		assertThat(SettingsConverter.client("echo", bind().clients().get("echo")).localAddress()).isNull();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			address       | address is * but must be that of the peer
			local-address | local-address is * but must be one of this machine, or left out
			""")
	void aClientHasNoUseForAllAddresses(String property, String message) {
		this.source.put("rdma.clients.echo.address", "192.0.2.1");
		this.source.put("rdma.clients.echo.port", "7471");
		this.source.put("rdma.clients.echo." + property, "*");
		assertThatExceptionOfType(InvalidRdmaPropertyException.class)
			.isThrownBy(() -> SettingsConverter.client("echo", bind().clients().get("echo")))
			.withMessage("rdma.clients.echo." + message);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			rdma.servers.echo.address       | 192.0.2.1:7471
			rdma.clients.echo.address       | 192.0.2.1:7471
			rdma.clients.echo.address       | peer.example.com:7471
			rdma.clients.echo.address       | rdma://peer.example.com
			rdma.clients.echo.address       | [2001:db8::1]:7471
			rdma.clients.echo.local-address | 192.0.2.1:0
			rdma.datagrams.echo.address     | 192.0.2.1:7471
			""")
	void anAddressWithAPortIsReported(String property, String value) {
		String endpoint = property.substring(0, property.lastIndexOf('.') + 1);
		this.source.put(endpoint + "port", "7471");
		this.source.put(endpoint + "address", "192.0.2.1");
		this.source.put(property, value);
		assertThatExceptionOfType(InvalidRdmaPropertyException.class).isThrownBy(() -> {
			RdmaProperties properties = bind();
			properties.servers().forEach(SettingsConverter::server);
			properties.clients().forEach(SettingsConverter::client);
			properties.datagrams().forEach(SettingsConverter::datagrams);
		})
			.withMessage(
					property + " is " + value + " but must be an address or a host name, without a port or a scheme")
			.satisfies((ex) -> assertThat(ex.property()).isEqualTo(property));
	}

	@ParameterizedTest
	@ValueSource(strings = { "2001:db8::1", "[2001:db8::1]", "fe80::1%eth7", "[fe80::1%eth7]", "::", "::ffff:192.0.2.1",
			"peer.example.com" })
	void addressesOfIpv6AndHostNamesAreTakenAsTheyAre(String address) {
		this.source.put("rdma.clients.echo.address", address);
		this.source.put("rdma.clients.echo.port", "7471");
		assertThat(SettingsConverter.client("echo", bind().clients().get("echo")).address()).isEqualTo(address);
	}

	@Test
	void everyPropertyOfTheContextIsBound() {
		this.source.put("rdma.enabled", "false");
		this.source.put("rdma.provider", "auto");
		this.source.put("rdma.lifecycle.phase", "42");
		this.source.put("rdma.lifecycle.auto-startup", "false");
		this.source.put("rdma.call-timeout", "7s");
		this.source.put("rdma.shutdown.timeout", "9s");
		this.source.put("rdma.shutdown.disconnect-grace", "0s");
		this.source.put("rdma.shutdown.drain-timeout", "1s");
		this.source.put("rdma.shutdown.destroy-timeout", "4s");
		this.source.put("rdma.memory.pool.slab-size", "1MB");
		this.source.put("rdma.memory.pool.max-size", "2MB");
		this.source.put("rdma.memory.pool.alignment", "4KB");
		RdmaProperties properties = bind();
		assertThat(properties.enabled()).isFalse();
		assertThat(properties.provider()).isEqualTo(RdmaProviderType.AUTO);
		assertThat(properties.lifecycle()).isEqualTo(new RdmaProperties.Lifecycle(42, false));
		assertThat(properties.callTimeout()).isEqualTo(Duration.ofSeconds(7));
		assertThat(SettingsConverter.shutdown(properties.shutdown())).isEqualTo(new ShutdownSettings(
				Duration.ofSeconds(9), Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(4)));
		assertThat(SettingsConverter.memoryPool(properties.memory().pool()))
			.isEqualTo(new MemoryPoolSettings(1 << 20, 2 << 20, 4096));
	}

	@ParameterizedTest
	@CsvSource({ "0s, rdma.call-timeout is 0s but must be longer than zero",
			"25d, rdma.call-timeout is 2160000s but must not be longer than 24d" })
	void aCallTimeoutOutOfRangeIsReportedWithTheFullNameOfItsProperty(String value, String message) {
		this.source.put("rdma.call-timeout", value);
		RdmaProperties properties = bind();
		assertThatExceptionOfType(InvalidRdmaPropertyException.class)
			.isThrownBy(() -> SettingsConverter.registry(properties, () -> {
				throw new IllegalStateException("no property opens a provider");
			}, null))
			.withMessage(message)
			.satisfies((ex) -> assertThat(ex.property()).isEqualTo("rdma.call-timeout"));
	}

	@Test
	void namesAreKeptAsWritten() {
		this.source.put("rdma.servers.my-Echo.port", "1");
		this.source.put("rdma.servers[weird.name].port", "2");
		assertThat(bind().servers()).containsOnlyKeys("my-Echo", "weird.name");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			port                         | 65536   | port is 65536 but must be from 0 to 65535
			backlog                      | -1      | backlog is -1 but must be at least 0
			connection.rnr-retry-count   | 9       | rnr-retry-count is 9 but must be from 0 to 7
			connection.tos               | 256     | tos is 256 but must be from 0 to 255
			connection.ack-timeout       | 32      | ack-timeout is 32 but must be from 0 to 31
			completion.cpu               | -1      | cpu is -1 but must be from 0 to 8191
			completion.spin-time         | 0s      | spin-time is 0s but must be from 1us to 1s
			completion.spin-time         | 2s      | spin-time is 2s but must be from 1us to 1s
			queue-pair.max-send-sge      | 0       | max-send-sge is 0 but must be at least 1
			queue-pair.full-timeout      | 0s      | full-timeout is 0s but must be longer than zero
			queue-pair.park-limit        | 0       | park-limit is 0 but must be from 1 to 65536
			shared-receive-queue.size    | 16385   | size is 16385 but must be from 0 to 16384
			memory.buffer-count          | 0       | buffer-count is 0 but must be from 1 to 16384
			messages.max-size            | 2GB     | max-size is 2GB but must be from 1B to 1GB
			memory.buffer-size           | 3GB     | buffer-size is 3GB but must be from 1B to 1GB
			memory.buffer-size           | 1025MB  | buffer-size is 1025MB but must be from 1B to 1GB
			memory.buffer-size           | 0B      | buffer-size is 0B but must be from 1B to 1GB
			""")
	void aBadValueIsReportedWithTheFullNameOfItsProperty(String property, String value, String message) {
		this.source.put("rdma.servers.echo.port", "7471");
		this.source.put("rdma.servers.echo." + property, value);
		String full = "rdma.servers.echo." + property;
		String path = full.substring(0, full.lastIndexOf('.') + 1);
		assertThatExceptionOfType(InvalidRdmaPropertyException.class)
			.isThrownBy(() -> SettingsConverter.server("echo", bind().servers().get("echo")))
			.withMessage(path + message)
			.satisfies((ex) -> assertThat(ex.property()).isEqualTo(full));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			slab-size | 1KB  | slab-size is 1KB but must be from 4KB to 1GB
			max-size  | 1MB  | max-size is 1MB but must be from 8MB to 64TB
			alignment | 8KB  | alignment is 8KB but must be from 8B to 4KB
			alignment | 100B | alignment is 100B but must be a power of two
			""")
	void aBadPoolOfMemoryIsReportedWithTheFullNameOfItsProperty(String property, String value, String message) {
		this.source.put("rdma.memory.pool." + property, value);
		assertThatExceptionOfType(InvalidRdmaPropertyException.class)
			.isThrownBy(() -> SettingsConverter.memoryPool(bind().memory().pool()))
			.withMessage("rdma.memory.pool." + message)
			.satisfies((ex) -> assertThat(ex.property()).isEqualTo("rdma.memory.pool." + property));
	}

	@Test
	void aConstraintOfTwoPropertiesIsReportedWithWhereTheyAre() {
		this.source.put("rdma.servers.echo.port", "7471");
		this.source.put("rdma.servers.echo.memory.buffer-size", "1GB");
		assertThatExceptionOfType(InvalidRdmaPropertyException.class)
			.isThrownBy(() -> SettingsConverter.server("echo", bind().servers().get("echo")))
			.withMessageStartingWith("rdma.servers.echo.memory.buffer-size is 1GB but must be from 1B to 67108607B "
					+ "with a buffer-count of 16")
			.satisfies((ex) -> assertThat(ex.property()).isEqualTo("rdma.servers.echo.memory.buffer-size"));
	}

	@Test
	void theLargestBuffersLeaveRoomToAlignThem() {
		int largest = (Integer.MAX_VALUE - 8192) / 2;
		assertThat(new MemorySettings(largest, 1).bufferSize()).isEqualTo(largest);
		assertThatIllegalArgumentException().isThrownBy(() -> new MemorySettings(largest + 1, 1));
	}

	@Test
	void privateDataOfAClientMayBe56Bytes() {
		this.source.put("rdma.clients.echo.address", "peer");
		this.source.put("rdma.clients.echo.port", "7471");
		this.source.put("rdma.clients.echo.connection.private-data", "ü".repeat(28));
		assertThat(SettingsConverter.client("echo", bind().clients().get("echo")).connection().privateData())
			.hasSize(56);
		this.source.put("rdma.clients.echo.connection.private-data", "ü".repeat(28) + "x");
		assertThatExceptionOfType(InvalidRdmaPropertyException.class)
			.isThrownBy(() -> SettingsConverter.client("echo", bind().clients().get("echo")))
			.withMessage("rdma.clients.echo.connection.private-data is 57B long but must be from 0B to 56B")
			.satisfies((ex) -> assertThat(ex.property()).isEqualTo("rdma.clients.echo.connection.private-data"));
	}

	@Test
	void privateDataOfAServerMayBe196Bytes() {
		this.source.put("rdma.servers.echo.port", "7471");
		this.source.put("rdma.servers.echo.connection.private-data", "x".repeat(196));
		assertThat(SettingsConverter.server("echo", bind().servers().get("echo")).connection().privateData())
			.hasSize(196);
		this.source.put("rdma.servers.echo.connection.private-data", "x".repeat(197));
		assertThatExceptionOfType(InvalidRdmaPropertyException.class)
			.isThrownBy(() -> SettingsConverter.server("echo", bind().servers().get("echo")))
			.withMessage("rdma.servers.echo.connection.private-data is 197B long but must be from 0B to 196B")
			.satisfies((ex) -> assertThat(ex.property()).isEqualTo("rdma.servers.echo.connection.private-data"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					resolve-timeout           | -1s    | resolve-timeout is -1s but must be longer than zero
					connect-timeout           | 0s     | connect-timeout is 0s but must be longer than zero
					connect-timeout           | -1ms   | connect-timeout is -1ms but must be longer than zero
					resolve-timeout           | 30d    | resolve-timeout is 2592000s but must not be longer than 24d
					queue-pair.full-timeout   | 9223372036854775807ms | full-timeout is 9223372036854775s but must not be longer than 24d
					reconnect.initial-backoff | 10500ms | initial-backoff, which is 10500ms
					reconnect.max-backoff     | 50ms   | max-backoff is 50ms but must not be shorter than initial-backoff
					""")
	void durationsAreReportedAsTheyAreConfigured(String property, String value, String message) {
		this.source.put("rdma.clients.echo.address", "peer");
		this.source.put("rdma.clients.echo.port", "7471");
		this.source.put("rdma.clients.echo." + property, value);
		assertThatExceptionOfType(InvalidRdmaPropertyException.class)
			.isThrownBy(() -> SettingsConverter.client("echo", bind().clients().get("echo")))
			.withMessageContaining(message);
	}

	@Test
	void flowControlIsNoneUnlessItIsSet() {
		this.source.put("rdma.servers.echo.port", "7471");
		assertThat(SettingsConverter.server("echo", bind().servers().get("echo")).memory().messages().flowControl())
			.isEqualTo(FlowControl.NONE);
		this.source.put("rdma.servers.echo.messages.flow-control", "credits");
		assertThat(SettingsConverter.server("echo", bind().servers().get("echo")).memory().messages().flowControl())
			.isEqualTo(FlowControl.CREDITS);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			memory.buffer-count       | 3 | is 3 but must be at least 4 with messages.flow-control=credits
			queue-pair.max-recv-wr    | 3 | is 3 but must be at least 4 with messages.flow-control=credits
			shared-receive-queue.size | 8 | is 8 but must be 0 with messages.flow-control=credits
			""")
	void creditsNeedReceivesOfTheConnectionsOwn(String property, String value, String message) {
		this.source.put("rdma.servers.echo.port", "7471");
		this.source.put("rdma.servers.echo.messages.flow-control", "credits");
		this.source.put("rdma.servers.echo." + property, value);
		assertThatExceptionOfType(InvalidRdmaPropertyException.class)
			.isThrownBy(() -> SettingsConverter.server("echo", bind().servers().get("echo")))
			.withMessageStartingWith("rdma.servers.echo." + property + " " + message)
			.satisfies((ex) -> assertThat(ex.property()).isEqualTo("rdma.servers.echo." + property));
	}

	@Test
	void aPortThatIsNotSetIsReported() {
		this.source.put("rdma.servers[weird.name].backlog", "1");
		assertThatExceptionOfType(InvalidRdmaPropertyException.class)
			.isThrownBy(() -> SettingsConverter.server("weird.name", bind().servers().get("weird.name")))
			.withMessage("rdma.servers[weird.name].port is not set but must be");
	}

	@Test
	void anAddressThatIsNotSetIsReported() {
		this.source.put("rdma.clients.echo.port", "7471");
		assertThatExceptionOfType(InvalidRdmaPropertyException.class)
			.isThrownBy(() -> SettingsConverter.client("echo", bind().clients().get("echo")))
			.withMessage("rdma.clients.echo.address is not set but must be");
	}

	private void putCommon(String endpoint) {
		this.source.put(endpoint + "messages.oversized", "fragment");
		this.source.put(endpoint + "messages.max-size", "1MB");
		this.source.put(endpoint + "queue-pair.max-send-wr", "11");
		this.source.put(endpoint + "queue-pair.max-recv-wr", "12");
		this.source.put(endpoint + "queue-pair.max-send-sge", "2");
		this.source.put(endpoint + "queue-pair.max-recv-sge", "3");
		this.source.put(endpoint + "queue-pair.max-inline-data", "64");
		this.source.put(endpoint + "queue-pair.when-full", "park");
		this.source.put(endpoint + "queue-pair.full-timeout", "3s");
		this.source.put(endpoint + "queue-pair.park-limit", "9");
		this.source.put(endpoint + "connection.responder-resources", "2");
		this.source.put(endpoint + "connection.initiator-depth", "3");
		this.source.put(endpoint + "connection.retry-count", "4");
		this.source.put(endpoint + "connection.rnr-retry-count", "5");
		this.source.put(endpoint + "connection.private-data", "grüß");
		this.source.put(endpoint + "connection.tos", "104");
		this.source.put(endpoint + "connection.ack-timeout", "18");
		this.source.put(endpoint + "memory.buffer-size", "4KB");
		this.source.put(endpoint + "memory.buffer-count", "8");
		this.source.put(endpoint + "completion.mode", "adaptive");
		this.source.put(endpoint + "completion.spin-time", "2ms");
		this.source.put(endpoint + "completion.cpu", "1");
		this.source.put(endpoint + "completion.handlers", "completion-thread");
	}

	private static ConnectionSettings commonConnection() {
		return new ConnectionSettings(2, 3, 4, 5, "grüß".getBytes(StandardCharsets.UTF_8), 104, 18);
	}

	private RdmaProperties bind() {
		return new Binder(new MapConfigurationPropertySource(this.source)).bindOrCreate("rdma", RdmaProperties.class);
	}

}
