package io.github.rdmaboot.endpoint;

import java.util.ArrayList;
import java.util.List;

import io.github.rdmaboot.provider.OrderedCalls;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.WorkCompletion;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import io.github.rdmaboot.verbs.DeviceLease;
import io.github.rdmaboot.verbs.Devices;
import io.github.rdmaboot.verbs.MemoryBlock;
import io.github.rdmaboot.verbs.MemoryPoolLimits;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * When a receive of a datagram endpoint counts as done.
 */
class DatagramReceiverTests {

	private static final DatagramSlots LAYOUT = new DatagramSlots(2, 1024);

	private final RdmaProvider provider = OrderedCalls
		.check(new LoopbackRdmaProvider(LoopbackFabrics.with("192.0.2.1")));

	private final OutstandingRequests outstanding = new OutstandingRequests();

	@Test
	void receiveIsOutstandingUntilItsDatagramIsWhereADestroyLooksForIt() {
		DeviceLease device = new Devices(this.provider, "test", new MemoryPoolLimits(4096, 1 << 20, 64))
			.acquire(this.provider.rdmaGetDevices().handles()[0]);
		MemoryBlock memory = device.device().memoryPool().allocate(LAYOUT.bytes());
		RdmaEndpoints registry = CheckedEndpoints.create(() -> this.provider, ShutdownSettings.defaults(), null);
		RdmaDatagramEndpoint endpoint = registry.addDatagrams(TestSettings.datagrams("datagrams", "192.0.2.1", 0));
		endpoint.onDatagram((datagram) -> {
		});
		List<Integer> outstandingWhenHandedOn = new ArrayList<>();
		DatagramReceiver receiver = new DatagramReceiver(endpoint, memory, LAYOUT, null, null, this.outstanding,
				(task) -> outstandingWhenHandedOn.add(this.outstanding.count()), memory::release);
		WorkCompletion completion = new WorkCompletion();
		completion.byteLength = RoutingHeader.LENGTH + 1;
		this.outstanding.posted();
		receiver.received(completion);
		assertThat(outstandingWhenHandedOn).as("receives outstanding").containsExactly(1);
		assertThat(this.outstanding.count()).isZero();
		memory.release();
		device.release();
	}

}
