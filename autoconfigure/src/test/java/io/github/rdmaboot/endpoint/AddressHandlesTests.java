package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.FaultingProvider.Fault;
import io.github.rdmaboot.provider.FaultingProvider.Kind;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a call that makes or destroys one address handle, and does not return, leaves
 * usable.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AddressHandlesTests {

	private static final String ADDRESS = "192.0.2.1";

	private static final ShutdownSettings LIMITS = new ShutdownSettings(Duration.ofSeconds(20), Duration.ofSeconds(2),
			Duration.ofSeconds(2), Duration.ofSeconds(10));

	private static final int MAX_PEERS = 2;

	private final LoopbackFabric fabric = new LoopbackFabric();

	private final CallOrder order = new CallOrder();

	private final FaultingProvider faults = FaultingProvider.of(new LoopbackRdmaProvider(this.fabric), this.order);

	private final RdmaEndpoints registry = TestSettings.registry(this.faults::provider, LIMITS, null);

	private final RdmaDatagramEndpoint endpoint = this.registry
		.addDatagrams(new DatagramSettings("sender", ADDRESS, null, 16, Duration.ofSeconds(2), Duration.ofSeconds(5),
				List.of(), 16, MAX_PEERS, null, CompletionSettings.defaults(), TestSettings.NO_RECONNECT));

	@BeforeEach
	void start() throws UnknownHostException {
		this.fabric.addAddress(InetAddress.getByName(ADDRESS));
		this.registry.start();
	}

	@AfterEach
	void close() {
		this.faults.release();
		this.registry.close();
		assertThat(this.order.violations()).isEmpty();
		assertThat(this.order.left()).isEmpty();
	}

	private DatagramPeer group(int number) throws Exception {
		return get(this.endpoint.join(InetAddress.getByName("239.1.1." + number)));
	}

	private CompletableFuture<Void> sendApart(DatagramPeer peer) {
		return CompletableFuture.runAsync(() -> send(peer), (task) -> new Thread(task, "sender").start());
	}

	private void send(DatagramPeer peer) {
		this.endpoint.send(peer, ByteBuffer.wrap(new byte[] { 1 })).orTimeout(10, TimeUnit.SECONDS).join();
	}

	private static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(10, TimeUnit.SECONDS);
	}

	private void block(String method) {
		int before = (this.faults.counts().get(method) != null) ? this.faults.counts().get(method).get() : 0;
		this.faults.inject(new Fault(method, before + 1, Kind.BLOCK, 0));
	}

	@Test
	void aPeerWhoseAddressHandleIsBeingMadeHoldsUpNoOther() throws Exception {
		DatagramPeer first = group(1);
		DatagramPeer second = group(2);
		block("ibvCreateAh");
		CompletableFuture<Void> stuck = sendApart(first);
		await().until(this.faults::isInjected);
		CompletableFuture<Void> follower = sendApart(first);
		get(sendApart(second));
		assertThat(get(CompletableFuture.supplyAsync(this.endpoint::addressHandles))).isOne();
		assertThat(stuck).isNotDone();
		this.faults.release();
		get(stuck);
		get(follower);
		assertThat(this.faults.counts().get("ibvCreateAh")).as("one address handle for each path").hasValue(2);
	}

	@Test
	void aDestroyWaitsForAnAddressHandleThatIsBeingMade() throws Exception {
		DatagramPeer peer = group(1);
		block("ibvCreateAh");
		CompletableFuture<Void> stuck = sendApart(peer);
		await().until(this.faults::isInjected);
		CompletableFuture<DestroyResult> destroy = CompletableFuture
			.supplyAsync(() -> this.endpoint.destroy().result());
		await().until(() -> this.faults.counts().containsKey("ibvDestroyQp")
				|| this.faults.counts().containsKey("rdmaDestroyQp"));
		assertThat(destroy).isNotDone();
		this.faults.release();
		assertThat(get(destroy)).isEqualTo(DestroyResult.SUCCESS);
		await().until(stuck::isCompletedExceptionally);
		assertThat(this.faults.counts().get("ibvDestroyAh")).hasValue(1);
	}

	@Test
	void anAddressHandleThatIsBeingDestroyedHoldsUpOnlyThePeerThatNeedsItsPlace() throws Exception {
		DatagramPeer second = group(2);
		DatagramPeer third = group(3);
		DatagramPeer fourth = group(4);
		send(group(1));
		send(second);
		block("ibvDestroyAh");
		CompletableFuture<Void> stuck = sendApart(third);
		await().until(this.faults::isInjected);
		get(sendApart(fourth));
		assertThat(get(CompletableFuture.supplyAsync(this.endpoint::addressHandles))).isBetween(1, MAX_PEERS);
		assertThat(stuck).isNotDone();
		this.faults.release();
		get(stuck);
		assertThat(this.endpoint.addressHandles()).isEqualTo(MAX_PEERS);
	}

}
