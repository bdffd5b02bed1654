package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.FaultingProvider.Fault;
import io.github.rdmaboot.provider.FaultingProvider.Kind;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import io.github.rdmaboot.verbs.Devices;
import io.github.rdmaboot.verbs.MemoryPoolLimits;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What is said of queues that are too large for the device.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class QueueRefusalTests {

	private static final String ADDRESS = "192.0.2.1";

	private final LoopbackFabric fabric = LoopbackFabrics.with(ADDRESS);

	private final FaultingProvider faults = FaultingProvider.of(new LoopbackRdmaProvider(this.fabric), new CallOrder());

	private final RdmaEndpoints registry = CheckedEndpoints.create(this.faults::provider, ShutdownSettings.defaults(),
			null);

	@AfterEach
	void close() {
		this.registry.close();
		assertThat(this.fabric.resources().memoryRegions()).as("memory regions left").isZero();
	}

	@ParameterizedTest
	@CsvSource({ "2147483647, 16, 4, 1, 64, ibv_create_cq, '2147483647, which queue-pair.max-send-wr with max-recv-wr'",
			"2147483647, 2147483647, 4, 1, 0, ibv_create_cq, 'queue-pair.max-send-wr with max-recv-wr asks for'",
			"16, 40000, 4, 1, 64, ibv_create_cq, '40017, which queue-pair.max-send-wr with max-recv-wr asks for'",
			"16, 16, 2147483647, 1, 64, rdma_create_qp, '17 sends of 2147483647 buffers'",
			"16, 16, 4, 33, 64, rdma_create_qp, '16 receives of 33'",
			"16, 16, 4, 1, 2147483647, rdma_create_qp, '2147483647 bytes inline'" })
	void connectionNamesTheProperties(int maxSendWr, int maxRecvWr, int maxSendSge, int maxRecvSge, int maxInlineData,
			String call, String expected) {
		MemorySettings memory = new MemorySettings(64, 4,
				new MessageSettings(OversizedMessages.REJECT, 64, FlowControl.CREDITS));
		RdmaServer server = this.registry.addServer(new ServerSettings("server", ADDRESS, 0, 0, TestSettings.QUEUE_PAIR,
				TestSettings.CONNECTION, memory, CompletionSettings.defaults()));
		this.registry.start();
		RdmaClient client = this.registry.addClient(new ClientSettings("client", ADDRESS, server.port(), null,
				Duration.ofSeconds(5), Duration.ofSeconds(5), ClientStartup.BACKGROUND, TestSettings.NO_RECONNECT,
				new QueuePairSettings(maxSendWr, maxRecvWr, maxSendSge, maxRecvSge, maxInlineData),
				TestSettings.CONNECTION, memory, CompletionSettings.defaults()));
		client.start();
		await().until(() -> client.lastError() != null);
		assertThat(client.lastError()).hasMessageContaining(call + " failed with EINVAL")
			.hasMessageContaining(expected);
	}

	@Test
	void datagramEndpointNamesTheProperty() {
		DatagramSettings settings = TestSettings.datagrams("datagrams", ADDRESS, null);
		RdmaDatagramEndpoint endpoint = this.registry.addDatagrams(new DatagramSettings(settings.name(), ADDRESS, null,
				0, settings.resolveTimeout(), settings.connectTimeout(), settings.groups(), 16384, 64, null,
				settings.completion(), settings.relisten()));
		assertThatExceptionOfType(RdmaEndpointException.class).isThrownBy(this.registry::start)
			.withMessageContaining("ibv_create_cq failed with EINVAL")
			.withMessageContaining("no queue that holds 32768, which memory.buffer-count asks for");
		assertThat(endpoint.state()).isNotEqualTo(EndpointState.UP);
	}

	@Test
	void sharedReceiveQueueNamesTheProperty() {
		this.faults.inject(new Fault("ibvCreateSrq", 1, Kind.FAIL, Errno.EINVAL.value()));
		SharedReceives receives = new SharedReceives(16384, new MemorySettings(64, 4),
				CompletionSettings.defaults().policy(), new EndpointStatistics());
		RdmaProvider provider = this.faults.provider();
		Devices devices = new Devices(provider, "test", new MemoryPoolLimits(4096, 4 << 20, 64));
		long context = provider.rdmaGetDevices().handles()[0];
		int before = this.fabric.resources().handles();
		assertThatExceptionOfType(RdmaException.class).isThrownBy(() -> receives.join(devices, context))
			.withMessageContaining("failed with EINVAL")
			.withMessageContaining("no queue that holds 16384, which shared-receive-queue.size asks for");
		assertThat(this.fabric.resources().handles()).as("native objects").isEqualTo(before);
	}

}
