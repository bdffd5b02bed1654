package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.rdmaboot.cm.EventChannel;
import io.github.rdmaboot.cm.OwnedCmId;
import io.github.rdmaboot.provider.AddressHandleAttributes;
import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.FaultingProvider.Fault;
import io.github.rdmaboot.provider.FaultingProvider.Kind;
import io.github.rdmaboot.provider.OrderedCalls;
import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.QueuePairCapabilities;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.WorkRequestOpcode;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import io.github.rdmaboot.verbs.CompletionQueue;
import io.github.rdmaboot.verbs.Device;
import io.github.rdmaboot.verbs.DeviceLease;
import io.github.rdmaboot.verbs.Devices;
import io.github.rdmaboot.verbs.MemoryBlock;
import io.github.rdmaboot.verbs.MemoryPoolLimits;
import io.github.rdmaboot.verbs.QueuePair;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Who may use the memory of a datagram endpoint that is destroyed meanwhile.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DatagramMemoryTests {

	private static final String ADDRESS = "192.0.2.1";

	private static final ShutdownSettings LIMITS = new ShutdownSettings(Duration.ofSeconds(20), Duration.ofSeconds(2),
			Duration.ofMillis(100), Duration.ofSeconds(10));

	private static final int BUFFERS = 16;

	private final LoopbackFabric fabric = LoopbackFabrics.with(ADDRESS);

	private static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(10, TimeUnit.SECONDS);
	}

	private static ByteBuffer filled(byte value) {
		ByteBuffer bytes = ByteBuffer.allocate(64);
		while (bytes.hasRemaining()) {
			bytes.put(value);
		}
		return bytes.flip();
	}

	@Test
	void aHandlerThatOutlivesTheEndpointReadsItsOwnDatagramToTheEnd() throws Exception {
		RdmaEndpoints registry = CheckedEndpoints.create(() -> new LoopbackRdmaProvider(this.fabric), LIMITS, null);
		RdmaDatagramEndpoint asker = registry.addDatagrams(TestSettings.datagrams("asker", ADDRESS, null));
		RdmaDatagramEndpoint reader = registry.addDatagrams(TestSettings.datagrams("reader", ADDRESS, 0));
		CountDownLatch reading = new CountDownLatch(1);
		CountDownLatch released = new CountDownLatch(1);
		CompletableFuture<byte[]> read = new CompletableFuture<>();
		AtomicInteger others = new AtomicInteger();
		reader.onDatagram((datagram) -> {
			if (datagram.data().get(0) == 1) {
				reading.countDown();
				released.await();
				byte[] bytes = new byte[datagram.data().remaining()];
				datagram.data().get(bytes);
				read.complete(bytes);
			}
			else {
				others.incrementAndGet();
			}
		});
		try {
			registry.start();
			get(asker.send(get(asker.resolve(ADDRESS, reader.port())), filled((byte) 1)));
			reading.await();
			long registered = reader.statistics().registeredBytes();
			reader.destroy();
			assertThat(reader.statistics().registeredBytes()).as("bytes registered while the handler reads")
				.isEqualTo(registered);
			reader.start();
			DatagramPeer peer = get(asker.resolve(ADDRESS, reader.port()));
			for (int i = 0; i < BUFFERS; i++) {
				get(asker.send(peer, filled((byte) 2)));
			}
			await().until(() -> others.get() == BUFFERS);
			released.countDown();
			assertThat(get(read)).as("bytes of the first datagram").containsOnly(1);
			await().untilAsserted(() -> assertThat(reader.statistics().registeredBytes())
				.as("bytes registered after the handler has returned")
				.isEqualTo(registered));
		}
		finally {
			released.countDown();
			registry.close();
		}
	}

	@Test
	void aDatagramThatIsRefusedCanBeSentAgainFromTheSameBuffer() throws Exception {
		FaultingProvider faults = FaultingProvider.of(new LoopbackRdmaProvider(this.fabric), new CallOrder());
		try (RdmaEndpoints registry = CheckedEndpoints.create(faults::provider, LIMITS, null)) {
			RdmaDatagramEndpoint endpoint = registry.addDatagrams(TestSettings.datagrams("sender", ADDRESS, 0));
			registry.start();
			DatagramPeer peer = get(endpoint.resolve(ADDRESS, endpoint.port()));
			ByteBuffer message = filled((byte) 1);
			faults.inject(new Fault("ibvPostSend", 1, Kind.FAIL, Errno.ENOMEM.value()));
			assertThatExceptionOfType(RdmaException.class).isThrownBy(() -> endpoint.send(peer, message));
			assertThat(message.remaining()).as("bytes of what was not sent").isEqualTo(64);
			get(endpoint.send(peer, message));
			assertThat(message.remaining()).as("bytes left of what was sent").isZero();
		}
	}

	// A thread that has a buffer may come to fill it when everything was destroyed.
	@Test
	void aSendThatComesTooLateLeavesTheMemoryAlone() {
		RdmaProvider provider = OrderedCalls.check(new LoopbackRdmaProvider(this.fabric));
		EventChannel channel = EventChannel.open(provider, "cm-test", OwnedCmId::destroy);
		OwnedCmId id = new OwnedCmId("id");
		id.create(channel, PortSpace.UDP, (from, event) -> {
		});
		id.bind(new InetSocketAddress(ADDRESS, 0));
		DeviceLease lease = new Devices(provider, "test", new MemoryPoolLimits(4096, 1 << 20, 64))
			.acquire(id.deviceContext());
		Device device = lease.device();
		DatagramSlots layout = new DatagramSlots(2, 1024);
		MemoryBlock memory = device.memoryPool().allocate(layout.bytes());
		CompletionQueue queue = CompletionQueue.create(device, CompletionSettings.defaults().policy(), 4,
				(completion) -> {
				}, (error) -> {
				});
		QueuePair queuePair = QueuePair.createDatagram(id, device, queue, new QueuePairCapabilities(2, 2, 1, 1, 0));
		AddressHandles handles = new AddressHandles(device, 2);
		RdmaDatagramEndpoint endpoint = CheckedEndpoints.create(() -> provider, LIMITS, null)
			.addDatagrams(TestSettings.datagrams("sender", ADDRESS, null));
		DatagramSender sender = new DatagramSender(memory, layout, 0, queuePair, handles, new OutstandingRequests(),
				new EndpointStatistics(), Runnable::run);
		DatagramPeer peer = new DatagramPeer(endpoint,
				DatagramPath
					.told(new AddressHandleAttributes(RoutingHeader.gid(address()), 0, 0, 64, 0, 0, 0, 0, 0, true, 1)),
				1, 1, address());
		ByteBuffer message = filled((byte) 1);
		queuePair.closeGate();

		for (int i = 0; i < 2 * layout.count(); i++) {
			assertThatExceptionOfType(ConnectionClosedException.class)
				.isThrownBy(() -> sender.send(peer, message, WorkRequestOpcode.SEND, 0, (error) -> {
				}));
		}
		byte[] content = new byte[memory.length()];
		memory.memory().get(content);
		assertThat(content).as("memory that others may have now").containsOnly(0);

		queuePair.destroy();
		handles.close();
		memory.release();
		queue.close();
		lease.release();
		id.destroy();
		channel.close(Duration.ofSeconds(5));
	}

	private static InetAddress address() {
		return TestSettings.literal(ADDRESS);
	}

}
