package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.FaultingProvider.Fault;
import io.github.rdmaboot.provider.FaultingProvider.Kind;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The memory of connections on a loopback fabric, and what becomes of it when calls fail
 * or do not return.
 */
class LoopbackConnectionMemoryTests extends ConnectionMemoryContract {

	private final LoopbackFabric fabric = new LoopbackFabric();

	private final List<CallOrder> orders = new ArrayList<>();

	private FaultingProvider faulting;

	LoopbackConnectionMemoryTests() throws UnknownHostException {
		this.fabric.addAddress(InetAddress.getByName(localAddress()));
	}

	@Override
	RdmaProvider openProvider() {
		CallOrder order = new CallOrder(false);
		this.orders.add(order);
		this.faulting = FaultingProvider.of(new LoopbackRdmaProvider(this.fabric), order);
		return this.faulting.provider();
	}

	@Override
	String localAddress() {
		return "192.0.2.1";
	}

	@Override
	String nativeObjects() {
		return this.fabric.resources().toString();
	}

	@Override
	void checkClosed() {
		assertThat(this.orders).flatExtracting(CallOrder::violations).isEmpty();
	}

	@Test
	void memoryOfAQueuePairThatCouldNotBeDestroyedIsNotLentAgain() throws Exception {
		long address = connection().memory().allocate(1000).address();
		this.faulting.inject(new Fault("rdmaDestroyQp", 1, Kind.FAIL, Errno.EIO.value()));
		assertThat(get(connection().close()).result()).isEqualTo(DestroyResult.FAILURE);
		System.gc();
		assertNotLent(address);
	}

	@Test
	void buffersForMessagesOfAQueuePairThatCouldNotBeDestroyedStayItsOwn() throws Exception {
		RdmaConnection connection = connection();
		EndpointStatistics statistics = client().statistics();
		long registered = statistics.registeredBytes();
		this.faulting.inject(new Fault("rdmaDestroyQp", 1, Kind.FAIL, Errno.EIO.value()));
		assertThat(get(connection.close()).result()).isEqualTo(DestroyResult.FAILURE);
		assertThat(statistics.registeredBytes()).as("bytes that the device may still use").isEqualTo(registered);
	}

	@Test
	void memoryOfAQuarantinedConnectionIsNotLentUntilItsCallReturns() throws Exception {
		long address = connection().memory().allocate(1000).address();
		this.faulting.inject(new Fault("rdmaDestroyQp", 1, Kind.BLOCK, 0));
		try {
			DestroyReport report = get(connection().close());
			assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.TIMEOUT);
			System.gc();
			assertNotLent(address);
		}
		finally {
			this.faulting.release();
		}
	}

	@Test
	void messageStaysReadableForAHandlerThatOutlivesItsConnection() throws Exception {
		CompletableFuture<Void> closed = new CompletableFuture<>();
		CompletableFuture<byte[]> read = new CompletableFuture<>();
		RdmaClient slow = addClient("slow");
		slow.onMessage((connection, message) -> {
			get(closed);
			byte[] bytes = new byte[message.remaining()];
			message.get(bytes);
			read.complete(bytes);
		});
		RdmaConnection ending = get(slow.connect());
		peerOf(ending).send(filled(7));
		await().atMost(PATIENCE).until(() -> slow.statistics().messagesReceived() == 1);
		assertThat(get(ending.close()).result()).isEqualTo(DestroyResult.SUCCESS);
		RdmaConnection other = get(addClient("other").connect());
		for (int i = 0; i < TestSettings.MEMORY.bufferCount(); i++) {
			get(peerOf(other).send(filled(9)));
			assertThat(get(other.receive())).containsOnly(9);
		}
		closed.complete(null);
		assertThat(get(read)).containsOnly(7);
	}

	private RdmaConnection peerOf(RdmaConnection connection) {
		await().atMost(PATIENCE).until(() -> peersOf(connection).findAny().isPresent());
		return peersOf(connection).findAny().orElseThrow();
	}

	private Stream<RdmaConnection> peersOf(RdmaConnection connection) {
		return server().connections()
			.stream()
			.filter((peer) -> Objects.equals(peer.peerAddress(), connection.localAddress()));
	}

	private static ByteBuffer filled(int value) {
		byte[] bytes = new byte[1000];
		Arrays.fill(bytes, (byte) value);
		return ByteBuffer.wrap(bytes);
	}

	private void assertNotLent(long address) throws Exception {
		RdmaConnection other = get(addClient("other").connect());
		for (int i = 0; i < 10; i++) {
			assertThat(other.memory().allocate(1000).address()).as("address of a buffer").isNotEqualTo(address);
		}
	}

}
