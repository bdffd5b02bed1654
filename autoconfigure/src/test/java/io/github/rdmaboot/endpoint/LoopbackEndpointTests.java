package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.rdmaboot.cm.CmIdState;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The endpoint contract on the loopback provider.
 */
class LoopbackEndpointTests extends EndpointContract {

	private final LoopbackFabric fabric = new LoopbackFabric();

	private FaultingProvider faulting;

	@BeforeEach
	void addHosts() throws UnknownHostException {
		this.fabric.addAddress(InetAddress.getByName(localAddress()));
		InetAddress silent = InetAddress.getByName(silentAddress());
		this.fabric.addAddress(silent);
		this.fabric.faults().silence(silent);
	}

	@Override
	RdmaProvider openProvider() {
		this.faulting = FaultingProvider.of(new LoopbackRdmaProvider(this.fabric), new CallOrder(false));
		return this.faulting.provider();
	}

	@Override
	int optionCalls() {
		return this.faulting.counts().get("rdmaSetOption").get();
	}

	@Override
	String localAddress() {
		return "192.0.2.1";
	}

	@Override
	String silentAddress() {
		return "198.51.100.77";
	}

	@Override
	String foreignAddress() {
		return "203.0.113.9";
	}

	@Override
	String nativeObjects() {
		return this.fabric.resources().toString();
	}

	@Test
	void clientThatFailsAgainAndAgainForTheSameReasonWarnsOnce() {
		Logger logger = (Logger) LoggerFactory.getLogger(RdmaClient.class);
		ListAppender<ILoggingEvent> log = new ListAppender<>();
		log.start();
		logger.addAppender(log);
		try {
			RdmaEndpoints registry = registry();
			RdmaClient client = registry.addClient(TestSettings.client("stubborn", localAddress(), 1,
					ClientStartup.BACKGROUND, TestSettings.RECONNECT));
			registry.start();
			await().atMost(Duration.ofSeconds(30)).until(() -> client.cmId().generation() > 4);
			assertThat(log.list).filteredOn((event) -> event.getLevel() == Level.WARN)
				.singleElement()
				.satisfies((event) -> assertThat(event.getFormattedMessage()).contains("stubborn", "ECONNREFUSED",
						"nobody listens on this port"));
		}
		finally {
			logger.detachAppender(log);
		}
	}

	@Test
	void clientThatClosesItsConnectionItselfTellsSoWithoutAWarning() throws Exception {
		Logger logger = (Logger) LoggerFactory.getLogger(RdmaClient.class);
		ListAppender<ILoggingEvent> log = new ListAppender<>();
		log.start();
		Level level = logger.getLevel();
		logger.setLevel(Level.INFO);
		logger.addAppender(log);
		try {
			RdmaEndpoints registry = registry();
			RdmaServer server = echoServer(registry);
			registry.start();
			RdmaClient client = client(registry, server, TestSettings.NO_RECONNECT);
			client.start();
			get(get(client.connect()).close());
			get(client.connect());
			client.destroy();
			assertThat(log.list).extracting(ILoggingEvent::getLevel).doesNotContain(Level.WARN);
			assertThat(log.list)
				.filteredOn(
						(event) -> event.getLevel() == Level.INFO && event.getFormattedMessage().contains("is down"))
				.singleElement()
				.satisfies((event) -> assertThat(event.getFormattedMessage())
					.contains("the connection was closed by this side"));
		}
		finally {
			logger.setLevel(level);
			logger.detachAppender(log);
		}
	}

	@Test
	void clientThatIsDestroyedWhileItResolvesTheAddressEndsAtOnce() {
		this.fabric.faults().hideNeighbour(TestSettings.literal(localAddress()));
		RdmaEndpoints registry = registry();
		RdmaClient client = registry.addClient(new ClientSettings("asking", localAddress(), 7471, null,
				Duration.ofSeconds(60), Duration.ofSeconds(60), ClientStartup.BACKGROUND, TestSettings.RECONNECT,
				TestSettings.QUEUE_PAIR, TestSettings.CONNECTION, TestSettings.MEMORY, CompletionSettings.defaults()));
		registry.start();
		CompletableFuture<RdmaConnection> attempt = client.connect();
		await().until(() -> client.cmId().state() == CmIdState.RESOLVING_ADDRESS);
		long begin = System.nanoTime();
		assertThat(client.destroy().result()).isEqualTo(DestroyResult.SUCCESS);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(attempt))
			.withCauseInstanceOf(ConnectionClosedException.class);
		assertThat(client.cmId().state()).isEqualTo(CmIdState.NONE);
		// Which waits for the thread that connects.
		registry.close();
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).as("time until the attempt had ended")
			.isLessThan(Duration.ofSeconds(2));
	}

	@Test
	void clientThatIsConnectingSaysSo() {
		RdmaEndpoints registry = registry();
		RdmaClient client = registry.addClient(TestSettings.client("patient", silentAddress(), 7471,
				ClientStartup.BACKGROUND, TestSettings.NO_RECONNECT, Duration.ofSeconds(60)));
		registry.start();
		assertThatExceptionOfType(ConnectionClosedException.class).isThrownBy(client::connection)
			.withMessage("RDMA client 'patient' is still connecting to 198.51.100.77:7471");
	}

	@Test
	void messageLargerThanTheBuffersOfThePeerNamesThem() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaServer server = registry
			.addServer(new ServerSettings("narrow", localAddress(), 0, 16, TestSettings.QUEUE_PAIR,
					TestSettings.CONNECTION, new MemorySettings(64, 4), CompletionSettings.defaults()));
		registry.start();
		RdmaClient client = client(registry, server, TestSettings.NO_RECONNECT);
		client.start();
		RdmaConnection connection = get(client.connect());
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> get(connection.send(ByteBuffer.allocate(65))))
			.withMessageContaining("IBV_WC_REM_")
			.withMessageContaining("larger than the buffers of the peer, its memory.buffer-size");
	}

	@Test
	void connectionsShareRegistrationsAndEndWithoutACallForTheirMemory() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaServer server = echoServer(registry);
		registry.start();
		List<RdmaConnection> connections = new ArrayList<>();
		for (int i = 0; i < 16; i++) {
			RdmaClient client = registry.addClient(TestSettings.client("client-" + i, localAddress(), server.port(),
					ClientStartup.BACKGROUND, TestSettings.NO_RECONNECT));
			client.start();
			connections.add(get(client.connect()));
		}
		int registrations = this.faulting.counts().get("ibvRegMr").get();
		assertThat(registrations).as("registrations for 32 connections").isLessThan(16);
		for (RdmaConnection connection : connections.subList(1, 16)) {
			get(connection.close());
		}
		await().atMost(Duration.ofSeconds(30)).until(() -> server.connections().size() == 1);
		assertThat(this.faulting.counts()).as("calls while others are connected").doesNotContainKey("ibvDeregMr");
		registry.close();
		assertThat(this.faulting.counts().get("ibvDeregMr")).hasValue(registrations);
	}

	@Test
	void endpointsAndTheirIdsDescribeThemselves() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaServer server = registry.addServer(TestSettings.server("echo", localAddress(), 7471));
		assertThat(server).hasToString("RDMA server 'echo' on 192.0.2.1:7471 (IDLE)");
		assertThat(server.cmId()).hasToString("CM id 'echo' (NONE)");
		registry.start();
		assertThat(server).hasToString("RDMA server 'echo' on 192.0.2.1:7471 (UP)");
		assertThat(server.cmId()).hasToString("CM id 'echo' on 192.0.2.1:7471 (LISTENING)");
		RdmaClient client = client(registry, server, TestSettings.NO_RECONNECT);
		client.start();
		get(client.connect());
		assertThat(client).hasToString("RDMA client '" + client.name() + "' to 192.0.2.1:7471 (UP)");
		assertThat(client.cmId().toString()).contains(" to 192.0.2.1:7471 (ESTABLISHED)");
	}

	@Test
	void removedDeviceTakesEndpointsDownAndTheClientComesBackWithIt() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaServer server = echoServer(registry);
		registry.start();
		RdmaClient client = client(registry, server, TestSettings.RECONNECT);
		client.start();
		get(client.connect());
		await().atMost(Duration.ofSeconds(30)).until(() -> server.connections().size() == 1);
		this.fabric.faults().removeDevice();
		await().atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(server.lastDestroyReport()).isNotNull()
				.satisfies((report) -> assertThat(report.trigger()).isEqualTo(DestroyTrigger.DEVICE_REMOVAL)));
		await().atMost(Duration.ofSeconds(30)).until(() -> server.state() == EndpointState.DOWN);
		assertThat(server.lastError()).isNotNull();
		assertThat(client.state()).isNotEqualTo(EndpointState.UP);
		this.fabric.faults().insertDevice();
		await().atMost(Duration.ofSeconds(30)).until(() -> server.state() == EndpointState.UP);
		assertThat(server.cmId().generation()).isGreaterThan(1);
	}

	@Test
	void serverThatWaitsForItsDeviceStaysDestroyedOnceItIsDestroyed() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaServer server = echoServer(registry);
		registry.start();
		this.fabric.faults().removeDevice();
		await().atMost(Duration.ofSeconds(30)).until(() -> server.state() == EndpointState.DOWN);
		assertThat(server.destroy().result()).isEqualTo(DestroyResult.SUCCESS);
		assertThat(server.state()).isEqualTo(EndpointState.IDLE);
		this.fabric.faults().insertDevice();
		RdmaServer other = registry.addServer(TestSettings.server("other", localAddress(), 0));
		other.start();
		assertThat(server.state()).isEqualTo(EndpointState.IDLE);
		server.start();
		assertThat(server.state()).isEqualTo(EndpointState.UP);
	}

	@Test
	void serverThatIsNotToListenAgainStaysDestroyedWhenItsDeviceIsBack() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaServer server = registry.addServer(
				new ServerSettings("once", localAddress(), 0, 16, TestSettings.QUEUE_PAIR, TestSettings.CONNECTION,
						TestSettings.MEMORY, CompletionSettings.defaults(), TestSettings.NO_RECONNECT, 0));
		registry.start();
		this.fabric.faults().removeDevice();
		await().atMost(Duration.ofSeconds(30))
			.until(() -> server.lastDestroyReport() != null && server.state() == EndpointState.IDLE);
		this.fabric.faults().insertDevice();
		server.start();
		assertThat(server.state()).isEqualTo(EndpointState.UP);
		assertThat(server.cmId().generation()).isEqualTo(2);
	}

}
