package io.github.rdmaboot.provider.jna;

import java.net.InetSocketAddress;

import io.github.rdmaboot.provider.CmEventData;
import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.provider.WorkCompletion;
import io.github.rdmaboot.provider.WorkRequestOpcode;
import io.github.rdmaboot.provider.jna.NativePeers.Peer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs datagrams and multicast against the kernel.
 */
class JnaDatagramIT extends NativeFixture {

	@Test
	void datagramsReachTheAddressThatTheEventBrought() {
		this.peers.useDatagrams();
		Peer[] pair = this.peers.connectDatagrams();
		CmEventData established = pair[0].established();
		assertThat(established.qpNum()).isEqualTo(pair[1].qpNum());
		assertThat(established.address()).isNotNull();
		long ah = this.provider.ibvCreateAh(pair[0].pd(), established.address());
		pair[1].receive(1, 0, 256);
		pair[0].put(0, "datagram");
		SendWorkRequest request = pair[0].request(2, WorkRequestOpcode.SEND_WITH_IMM, 0, 8);
		request.ah = ah;
		request.remoteQpNum = established.qpNum();
		request.remoteQkey = established.qkey();
		request.immediateData = pair[0].qpNum();
		assertThat(this.provider.ibvPostSend(pair[0].qp(), request)).isZero();
		WorkCompletion received = pair[1].awaitCompletion();
		assertThat(received.byteLength).isEqualTo(48);
		assertThat(received.immediateData).isEqualTo(pair[0].qpNum());
		assertThat(received.sourceQp).isEqualTo(pair[0].qpNum());
		assertThat(pair[1].get(40, 8)).isEqualTo("datagram");
		assertThat(pair[0].awaitCompletion().status).isZero();
		pair[1].memory().position(0);
		long answer = this.provider.ibvCreateAhFromWc(pair[1].pd(), received, pair[1].memory(), 1);
		this.provider.ibvDestroyAh(answer);
		this.provider.ibvDestroyAh(ah);
	}

	@Test
	void aMulticastGroupIsJoinedAndLeft() {
		this.peers.useDatagrams();
		long id = this.peers.createId();
		this.provider.rdmaBindAddr(id, new InetSocketAddress(ADDRESS, 0));
		Peer peer = this.peers.prepare(id);
		InetSocketAddress group = new InetSocketAddress("239.1.2.3", 0);
		this.provider.rdmaJoinMulticast(peer.id(), group, 0);
		CmEventData joined = this.peers.awaitEvent(CmEventType.MULTICAST_JOIN);
		assertThat(joined.privateData()).isEmpty();
		assertThat(joined.qpNum()).isEqualTo(0xffffff);
		this.provider.rdmaLeaveMulticast(peer.id(), group);
		assertThatFailure(() -> this.provider.rdmaLeaveMulticast(peer.id(), group))
			.isEqualTo("rdma_leave_multicast EADDRNOTAVAIL");
		this.provider.rdmaJoinMulticastEx(peer.id(), group, true);
		this.peers.awaitEvent(CmEventType.MULTICAST_JOIN);
		this.provider.rdmaLeaveMulticast(peer.id(), group);
	}

}
