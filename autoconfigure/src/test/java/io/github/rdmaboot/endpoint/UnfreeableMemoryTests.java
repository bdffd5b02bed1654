package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of operations whose memory was released meanwhile and cannot be
 * deregistered when they are done.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UnfreeableMemoryTests {

	private final LoopbackFabric fabric = LoopbackFabrics.with("192.0.2.1");

	private final List<FaultingProvider> faults = new ArrayList<>();

	private ConnectedPair pair;

	private RdmaConnection client;

	@BeforeEach
	void connectAndUseUpTheReceivesOfThePeer() throws Exception {
		this.pair = ConnectedPair.connect(this::provider, "192.0.2.1");
		this.client = this.pair.client();
		for (int i = 0; i < ConnectedPair.MEMORY.bufferCount(); i++) {
			this.client.send(ByteBuffer.allocate(1)).get(10, TimeUnit.SECONDS);
		}
	}

	@AfterEach
	void close() {
		this.pair.close();
	}

	private RdmaProvider provider() {
		FaultingProvider faulting = FaultingProvider.of(new LoopbackRdmaProvider(this.fabric), new CallOrder());
		this.faults.add(faulting);
		return faulting.provider();
	}

	private void failNextDeregistration() {
		// The provider of the client is opened after that of the server.
		FaultingProvider ofClient = this.faults.get(1);
		AtomicInteger before = ofClient.counts().get("ibvDeregMr");
		int number = (before != null) ? before.get() + 1 : 1;
		ofClient.inject(new Fault("ibvDeregMr", number, Kind.FAIL_AFTERWARDS, Errno.EIO.value()));
	}

	private RegisteredMemory allocate() {
		return this.client.memory().allocate(64, RemoteAccess.READ);
	}

	private void receiveAll(int more) throws Exception {
		for (int i = 0; i < ConnectedPair.MEMORY.bufferCount() + more; i++) {
			this.pair.server().receive().get(10, TimeUnit.SECONDS);
		}
	}

	@Test
	void operationIsToldThatItIsDoneAndLeavesNothingUnderWay() throws Exception {
		RegisteredMemory memory = allocate();
		OperationFuture done = this.client.operations().send(memory, 0, 1, new OperationFuture());
		memory.close();
		failNextDeregistration();

		receiveAll(1);

		assertThat(done.get(10, TimeUnit.SECONDS)).as("bytes sent").isEqualTo(1);
		assertThat(this.faults.get(1).isInjected()).as("deregistration failed").isTrue();
		assertThat(this.client.isOpen()).as("connection stays open").isTrue();
		DestroyReport report = this.client.close().get(20, TimeUnit.SECONDS);
		assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
	}

	@Test
	void memoryBehindTheOneThatCannotBeFreedIsFreed() throws Exception {
		RegisteredMemory first = allocate();
		RegisteredMemory second = allocate();
		int regions = this.fabric.resources().memoryRegions();
		MemoryRanges ranges = new MemoryRanges(2).add(first, 0, 1).add(second, 0, 1);
		OperationFuture done = this.client.operations().send(ranges, new OperationFuture());
		first.close();
		second.close();
		failNextDeregistration();

		receiveAll(1);

		assertThat(done.get(10, TimeUnit.SECONDS)).as("bytes sent").isEqualTo(2);
		await().untilAsserted(() -> assertThat(this.fabric.resources().memoryRegions()).as("memory regions left")
			.isEqualTo(regions - 2));
	}

	@Test
	void placeInTheSendQueueIsGivenBack() throws Exception {
		RegisteredMemory memory = allocate();
		OperationFuture done = this.client.operations().send(memory, 0, 1, new OperationFuture());
		memory.close();
		failNextDeregistration();
		receiveAll(1);
		done.get(10, TimeUnit.SECONDS);

		PooledBuffer buffer = this.client.memory().allocate(8);
		List<OperationFuture> sends = new ArrayList<>();
		// As many as there are places, none of which can complete.
		for (int i = 0; i < ConnectedPair.MEMORY.bufferCount(); i++) {
			this.client.send(ByteBuffer.allocate(1)).get(10, TimeUnit.SECONDS);
		}
		for (int i = 0; i < ConnectedPair.QUEUE_PAIR.maxSendWr(); i++) {
			sends.add(this.client.operations().send(buffer, 0, 1, new OperationFuture()));
		}

		receiveAll(ConnectedPair.QUEUE_PAIR.maxSendWr());
		for (OperationFuture send : sends) {
			assertThat(send.get(10, TimeUnit.SECONDS)).as("bytes sent").isEqualTo(1);
		}
	}

}
