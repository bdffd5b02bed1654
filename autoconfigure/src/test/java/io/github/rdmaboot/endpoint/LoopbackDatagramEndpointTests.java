package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import io.github.rdmaboot.cm.CmIdState;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.LostGroup;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import io.github.rdmaboot.verbs.MemoryPoolExhaustedException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * The datagram contract on the loopback provider.
 */
class LoopbackDatagramEndpointTests extends DatagramEndpointContract {

	private static final String SILENT = "198.51.100.77";

	private final LoopbackFabric fabric = new LoopbackFabric();

	@BeforeEach
	void addHosts() throws UnknownHostException {
		this.fabric.addAddress(InetAddress.getByName(localAddress()));
		InetAddress silent = InetAddress.getByName(SILENT);
		this.fabric.addAddress(silent);
		this.fabric.faults().silence(silent);
	}

	@Override
	RdmaProvider openProvider() {
		return new LoopbackRdmaProvider(this.fabric);
	}

	@Override
	String localAddress() {
		return "192.0.2.1";
	}

	@Override
	String foreignAddress() {
		return "203.0.113.9";
	}

	@Override
	String nativeObjects() {
		return this.fabric.resources().toString();
	}

	private static DatagramSettings impatient(String address, int maxPeers) {
		return new DatagramSettings("impatient", address, null, 16, Duration.ofMillis(500), Duration.ofMillis(300),
				List.of(), 16, maxPeers, null, CompletionSettings.defaults(), TestSettings.NO_RECONNECT);
	}

	@Test
	void theLossOfOneGroupFailsNoJoinOfAnother() {
		RdmaEndpoints registry = CheckedEndpoints.create(() -> LostGroup.around(openProvider()),
				ShutdownSettings.defaults(), null);
		RdmaDatagramEndpoint datagrams = registry.addDatagrams(TestSettings.datagrams("groups", localAddress(), null));
		registry.start();
		assertThat(datagrams.join(TestSettings.literal("239.1.2.3"))).succeedsWithin(Duration.ofSeconds(10));
		assertThat(datagrams.join(TestSettings.literal("239.1.2.4"))).succeedsWithin(Duration.ofSeconds(10));
		registry.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "127.0.0.1", "0.0.0.0", "::1" })
	void addressWithoutADeviceFailsTheStartAndLeavesNothing(String address) {
		String before = nativeObjects();
		RdmaEndpoints registry = registry();
		registry.addDatagrams(TestSettings.datagrams("nowhere", address, 0));
		RdmaEndpointException failure = catchThrowableOfType(RdmaEndpointException.class, registry::start);
		assertThat(failure.errno()).isEqualTo(Errno.ENODEV.value());
		assertThat(failure).hasMessageContaining("'nowhere'").hasMessageContaining("rdma_bind_addr");
		registry.close();
		assertThat(nativeObjects()).isEqualTo(before);
	}

	@Test
	void silentHostEndsWithinTheConnectTimeout() {
		RdmaEndpoints registry = registry();
		RdmaDatagramEndpoint asker = registry.addDatagrams(impatient(localAddress(), 64));
		registry.start();
		ExecutionException failure = catchThrowableOfType(ExecutionException.class,
				() -> get(asker.resolve(SILENT, 4711)));
		assertThat(failure).cause().isInstanceOfSatisfying(RdmaEndpointException.class, (cause) -> {
			assertThat(cause.errno()).isEqualTo(Errno.ETIMEDOUT.value());
			assertThat(cause).hasMessageContaining("'impatient'").hasMessageContaining(SILENT + ":4711");
		});
	}

	@Test
	void lookUpThatADestroyInterruptsEndsAtOnceAndLeavesNothing() throws Exception {
		String before = nativeObjects();
		RdmaEndpoints registry = registry();
		RdmaDatagramEndpoint asker = registry.addDatagrams(TestSettings.datagrams("asker", localAddress(), null));
		registry.start();
		CompletableFuture<DatagramPeer> peer = asker.resolve(SILENT, 4711);
		await().atMost(Duration.ofSeconds(30))
			.until(() -> registry.idsByState().getOrDefault(CmIdState.CONNECTING, 0) == 1);
		assertThat(asker.destroy().result()).isEqualTo(DestroyResult.SUCCESS);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(peer))
			.withCauseInstanceOf(ConnectionClosedException.class);
		registry.close();
		assertThat(nativeObjects()).isEqualTo(before);
	}

	@Test
	void addressHandlesStayWithinTheirBound() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaDatagramEndpoint few = registry.addDatagrams(impatient(localAddress(), 2));
		registry.start();
		for (int i = 1; i <= 9; i++) {
			DatagramPeer group = get(few.join(InetAddress.getByName("239.1.1." + i)));
			get(few.send(group, ByteBuffer.wrap(new byte[] { 1 })));
		}
		assertThat(few.addressHandles()).isEqualTo(2);
	}

	@Test
	void removedDeviceTakesTheEndpointDownAndItComesBackWithItsGroups() {
		RdmaEndpoints registry = registry();
		RdmaDatagramEndpoint echo = echo(registry, "239.1.2.3");
		registry.start();
		this.fabric.faults().removeDevice();
		await().atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(echo.lastDestroyReport()).isNotNull()
				.satisfies((report) -> assertThat(report.trigger()).isEqualTo(DestroyTrigger.DEVICE_REMOVAL)));
		assertThat(echo.groups()).isEmpty();
		this.fabric.faults().insertDevice();
		await().atMost(Duration.ofSeconds(30)).until(() -> echo.state() == EndpointState.UP);
		assertThat(echo.groups()).hasSize(1);
		assertThat(echo.lastError()).isNull();
	}

	@Test
	void memoryOfDatagramEndpointsCountsInTheBoundOfThePool() {
		RdmaEndpoints registry = CheckedEndpoints.create(this::openProvider, Duration.ofSeconds(5),
				ShutdownSettings.defaults(), new MemoryPoolSettings(64 << 10, 128 << 10, 64), null);
		try (registry) {
			registry.addDatagrams(TestSettings.datagrams("large", localAddress(), null));
			assertThatExceptionOfType(RdmaEndpointException.class).isThrownBy(registry::start)
				.withCauseInstanceOf(MemoryPoolExhaustedException.class);
		}
		RdmaEndpoints roomy = registry();
		RdmaDatagramEndpoint endpoint = asker(roomy);
		roomy.start();
		assertThat(roomy.pooledBytes()).isGreaterThanOrEqualTo(endpoint.statistics().registeredBytes()).isPositive();
	}

	@Test
	void datagramEndpointsDescribeThemselves() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaDatagramEndpoint prices = registry
			.addDatagrams(TestSettings.datagrams("prices", localAddress(), 7471, "239.1.2.3"));
		assertThat(prices).hasToString("RDMA datagram endpoint 'prices' on 192.0.2.1:7471 (IDLE)");
		registry.start();
		assertThat(prices).hasToString("RDMA datagram endpoint 'prices' on 192.0.2.1:7471 (UP)");
		assertThat(prices.port()).isEqualTo(7471);
		assertThat(prices.groups().values())
			.allSatisfy((group) -> assertThat(group).hasToString("239.1.2.3 queue pair 16777215"));
		DatagramPeer peer = get(prices.resolve("192.0.2.1", 7471));
		assertThat(peer).hasToString("192.0.2.1 queue pair " + prices.cmId().qpNum());
	}

}
