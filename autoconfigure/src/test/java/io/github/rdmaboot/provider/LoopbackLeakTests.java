package io.github.rdmaboot.provider;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackResources;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a loopback fabric leaves nothing behind and carries many ids.
 */
class LoopbackLeakTests extends RdmaProviderContract {

	private static final int CYCLES = 1000;

	private static final int IDS = 10_000;

	LoopbackLeakTests() {
		super(new LoopbackTransport());
	}

	private LoopbackFabric fabric() {
		return ((LoopbackTransport) transport()).fabric();
	}

	private static long timerThreads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals("rdma-loopback-timer"))
			.count();
	}

	@Test
	void connectionsLeaveNothingBehind() {
		long listener = listener(0);
		cycle(listener);
		LoopbackResources before = fabric().resources();
		for (int i = 0; i < CYCLES; i++) {
			cycle(listener);
		}
		assertThat(fabric().resources()).isEqualTo(before);
		assertThat(before.timers()).isZero();
		Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> timerThreads() == 0);
	}

	private void cycle(long listener) {
		Endpoint active = new Endpoint(this.provider, resolved(addressOf(listener)));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		Endpoint passive = new Endpoint(this.provider, this.server.expect(CmEventType.CONNECT_REQUEST).id());
		passive.postReceive(1, 10);
		this.provider.rdmaAccept(passive.id, PARAMETERS);
		this.client.expect(CmEventType.ESTABLISHED);
		this.server.expect(CmEventType.ESTABLISHED);
		active.send(2, "ping");
		passive.expect(CompletionStatus.SUCCESS, 1);
		active.expect(CompletionStatus.SUCCESS, 2);
		this.provider.rdmaDisconnect(active.id);
		this.server.expect(CmEventType.DISCONNECTED);
		this.provider.rdmaDisconnect(passive.id);
		this.client.expect(CmEventType.DISCONNECTED);
		active.close();
		passive.close();
		this.client.destroy(active.id);
		this.server.destroy(passive.id);
	}

	@Test
	void tenThousandIdsAreOpenAtOnce() {
		LoopbackResources before = fabric().resources();
		long begin = System.nanoTime();
		long[] ids = new long[IDS];
		for (int i = 0; i < IDS; i++) {
			ids[i] = this.provider.rdmaCreateId(this.client.channel(), PortSpace.TCP);
			this.provider.rdmaBindAddr(ids[i], address(0));
			this.provider.rdmaListen(ids[i], 1);
		}
		assertThat(fabric().resources().ports()).isEqualTo(IDS);
		for (long id : ids) {
			this.provider.rdmaDestroyId(id);
		}
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
		assertThat(fabric().resources().ports()).isEqualTo(before.ports());
	}

	@Test
	void closingAProviderEndsItsConnectionsAsAProcessExitDoes() {
		long listener = listener(0);
		LoopbackResources before = fabric().resources();
		RdmaProvider other = new LoopbackRdmaProvider(fabric());
		CmFixture otherClient = new CmFixture(other, 0);
		long id = otherClient.newId(PortSpace.TCP);
		other.rdmaResolveAddr(id, null, addressOf(listener), 1000);
		otherClient.expect(CmEventType.ADDR_RESOLVED);
		other.rdmaResolveRoute(id, 1000);
		otherClient.expect(CmEventType.ROUTE_RESOLVED);
		Endpoint active = new Endpoint(other, id);
		other.rdmaConnect(id, PARAMETERS);
		Endpoint passive = new Endpoint(this.provider, this.server.expect(CmEventType.CONNECT_REQUEST).id());
		this.provider.rdmaAccept(passive.id, PARAMETERS);
		otherClient.expect(CmEventType.ESTABLISHED);
		this.server.expect(CmEventType.ESTABLISHED);
		assertThat(active.queuePair.qpNum()).isNotEqualTo(passive.queuePair.qpNum());
		other.close();
		assertThat(this.server.expect(CmEventType.DISCONNECTED).status()).isZero();
		passive.close();
		this.server.destroy(passive.id);
		assertThat(fabric().resources()).isEqualTo(before);
	}

	@Test
	void timerThreadEndsWhenItIsIdle() {
		LoopbackFabric own = new LoopbackFabric();
		RdmaProvider idle = new LoopbackRdmaProvider(own);
		CmFixture fixture = new CmFixture(idle, 0);
		long id = fixture.newId(PortSpace.TCP);
		idle.rdmaResolveAddr(id, null, new InetSocketAddress("127.0.0.1", 9), 1000);
		fixture.expect(CmEventType.ADDR_RESOLVED);
		fixture.close();
		idle.close();
		Awaitility.await().atMost(10, TimeUnit.SECONDS).until(() -> timerThreads() == 0);
		assertThat(own.resources()).isEqualTo(new LoopbackResources(0, 0, 0, 0, 0));
	}

}
