package io.github.rdmaboot.endpoint;

import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is counted of operations, and how often the device is asked for what they need to
 * know.
 */
@Timeout(value = 40, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OperationCountTests {

	private final LoopbackFabric fabric = LoopbackFabrics.with("192.0.2.1");

	/** Calls of the client, which asks for its provider last. */
	private CountingProvider calls;

	private ConnectedPair pair;

	private RegisteredMemory local;

	private RemoteMemory remote;

	@BeforeEach
	void connect() throws Exception {
		this.pair = ConnectedPair.connect(this::openProvider, "192.0.2.1");
		this.local = this.pair.client().memory().allocate(64, RemoteAccess.READ);
		this.remote = this.pair.server()
			.memory()
			.allocate(64, RemoteAccess.READ, RemoteAccess.WRITE, RemoteAccess.ATOMIC)
			.remote();
	}

	private RdmaProvider openProvider() {
		this.calls = CountingProvider.around(new LoopbackRdmaProvider(this.fabric));
		return this.calls.proxy();
	}

	@AfterEach
	void close() {
		this.pair.close();
	}

	@Test
	void deviceIsAskedOnceHowManyReadsWereNegotiated() throws Exception {
		assertThat(this.calls.counts()).as("calls before any read").containsEntry("ibvQueryQp", 1L);
		for (int i = 0; i < 5; i++) {
			get(this.pair.client().operations().read(this.local, 0, this.remote, 0, 8, new OperationFuture()));
		}
		assertThat(this.calls.counts()).containsEntry("ibvQueryQp", 1L);
	}

	@Test
	void operationsAreCountedByKindWithTheirBytes() throws Exception {
		RdmaOperations operations = this.pair.client().operations();
		get(operations.read(this.local, 0, this.remote, 0, 64, new OperationFuture()));
		get(operations.write(this.local, 0, this.remote, 0, 10, new OperationFuture()));
		get(operations.fetchAndAdd(this.remote, 0, 1, new OperationFuture()));
		get(operations.batch(3)
			.write(this.local, 0, this.remote, 0, 20)
			.compareAndSwap(this.remote, 0, 1, 2)
			.send(this.local, 0, 7)
			.post(new OperationFuture()));
		get(operations.writeWithImmediate(this.local, 0, this.remote, 0, 30, 5, new OperationFuture()));
		EndpointStatistics statistics = this.pair.statisticsOfClient();
		assertThat(statistics.operations(OperationKind.READ)).isEqualTo(1);
		assertThat(statistics.operationBytes(OperationKind.READ)).isEqualTo(64);
		assertThat(statistics.operations(OperationKind.WRITE)).isEqualTo(3);
		assertThat(statistics.operationBytes(OperationKind.WRITE)).isEqualTo(60);
		assertThat(statistics.operations(OperationKind.ATOMIC)).isEqualTo(2);
		assertThat(statistics.operationBytes(OperationKind.ATOMIC)).isEqualTo(16);
		assertThat(statistics.messagesSent()).isEqualTo(1);
	}

	private static void get(OperationFuture future) throws Exception {
		future.get(20, TimeUnit.SECONDS);
	}

}
