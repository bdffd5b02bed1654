package io.github.rdmaboot.provider;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Datagrams over the CM: looking a service up, sending with address handles and
 * multicast.
 */
@Needs(TransportRules.Capability.DATAGRAMS)
abstract class DatagramContract extends RdmaProviderContract {

	private static final int HEADER = 40;

	private static final int CM_QKEY = 0x01234567;

	private static final int UNSUPPORTED = 1;

	private static final int REJECTED = 2;

	DatagramContract(ContractTransport transport) {
		super(transport);
	}

	private Endpoint datagramEndpoint(long id) {
		return endpoint(new Endpoint(this.provider, id, QueuePairType.UD, new QueuePairCapabilities(16, 16, 2, 2, 64),
				1, false));
	}

	private long datagramListener() {
		long id = this.server.newId(PortSpace.UDP);
		this.provider.rdmaBindAddr(id, address(0));
		this.provider.rdmaListen(id, 0);
		return id;
	}

	private Endpoint resolvedEndpoint(InetSocketAddress destination) {
		long id = this.client.newId(PortSpace.UDP);
		resolve(id, destination);
		return datagramEndpoint(id);
	}

	private void sendTo(Endpoint from, CmEventData peer, int length) {
		AddressHandleAttributes path = peer.address();
		assertThat(path).isNotNull();
		long ah = this.provider.ibvCreateAh(from.pd, path);
		closeLater(() -> this.provider.ibvDestroyAh(ah));
		SendWorkRequest request = from.request(WorkRequestOpcode.SEND_WITH_IMM, 2, length);
		request.immediateData = from.queuePair.qpNum();
		request.ah = ah;
		request.remoteQpNum = peer.qpNum();
		request.remoteQkey = peer.qkey();
		assertThat(from.post(request)).isZero();
	}

	@Test
	void queuePairIsReadyAtOnce() {
		Endpoint endpoint = resolvedEndpoint(address(4000));
		assertThat(endpoint.state()).isEqualTo(QueuePairState.RTS);
		assertThat(this.provider.ibvQueryQp(endpoint.qp(), QueuePairAttributes.QKEY).qkey()).isEqualTo(CM_QKEY);
	}

	@Test
	void serviceTellsItsQueuePair() {
		long listener = datagramListener();
		Endpoint active = resolvedEndpoint(addressOf(listener));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		CmEventData request = this.server.expect(CmEventType.CONNECT_REQUEST);
		assertThat(request.listenId()).isEqualTo(listener);
		assertThat(request.privateData()).hasSize(180);
		Endpoint passive = datagramEndpoint(request.id());
		this.provider.rdmaAccept(passive.id,
				new ConnectionParameters(new byte[] { 9 }, 0, 0, false, 0, 0, false, passive.queuePair.qpNum()));
		CmEventData established = this.client.expect(CmEventType.ESTABLISHED);
		assertThat(established.qpNum()).isEqualTo(passive.queuePair.qpNum());
		assertThat(established.qkey()).isEqualTo(CM_QKEY);
		assertThat(established.privateData()).hasSize(136).startsWith(9);
		assertThat(established.address()).isNotNull();
		this.server.expectSilence();
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 500, 1000 })
	void datagramArrivesBehindItsHeader(int length) {
		long listener = datagramListener();
		Endpoint active = resolvedEndpoint(addressOf(listener));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		Endpoint passive = datagramEndpoint(this.server.expect(CmEventType.CONNECT_REQUEST).id());
		passive.postReceive(1, 2000);
		this.provider.rdmaAccept(passive.id, parametersFor(passive));
		CmEventData peer = this.client.expect(CmEventType.ESTABLISHED);
		for (int i = 0; i < length; i++) {
			active.buffer.put(i, (byte) (i * 3));
		}
		sendTo(active, peer, length);
		active.expect(CompletionStatus.SUCCESS, 2);
		WorkCompletion received = passive.expect(CompletionStatus.SUCCESS, 1);
		assertThat(received.byteLength).isEqualTo(HEADER + length);
		assertThat(received.sourceQp).isEqualTo(active.queuePair.qpNum());
		assertThat(received.immediateData).isEqualTo(active.queuePair.qpNum());
		assertThat(received.flags & 1).isEqualTo(1);
		for (int i = 0; i < length; i++) {
			assertThat(passive.buffer.get(Endpoint.HALF + HEADER + i)).isEqualTo((byte) (i * 3));
		}
	}

	@Test
	void receivedDatagramCanBeAnswered() {
		long listener = datagramListener();
		Endpoint active = resolvedEndpoint(addressOf(listener));
		active.postReceive(3, 2000);
		this.provider.rdmaConnect(active.id, PARAMETERS);
		Endpoint passive = datagramEndpoint(this.server.expect(CmEventType.CONNECT_REQUEST).id());
		passive.postReceive(1, 2000);
		this.provider.rdmaAccept(passive.id, parametersFor(passive));
		sendTo(active, this.client.expect(CmEventType.ESTABLISHED), 1);
		WorkCompletion received = passive.expect(CompletionStatus.SUCCESS, 1);
		ByteBuffer header = passive.buffer.duplicate();
		header.position(Endpoint.HALF);
		long ah = this.provider.ibvCreateAhFromWc(passive.pd, received, header, 1);
		closeLater(() -> this.provider.ibvDestroyAh(ah));
		SendWorkRequest answer = passive.request(WorkRequestOpcode.SEND, 4, 5);
		answer.ah = ah;
		answer.remoteQpNum = received.sourceQp;
		answer.remoteQkey = CM_QKEY;
		assertThat(passive.post(answer)).isZero();
		active.expect(CompletionStatus.SUCCESS, 2);
		assertThat(active.expect(CompletionStatus.SUCCESS, 3).byteLength).isEqualTo(HEADER + 5);
	}

	@Test
	void datagramWithTheWrongKeyIsLost() {
		long listener = datagramListener();
		Endpoint active = resolvedEndpoint(addressOf(listener));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		Endpoint passive = datagramEndpoint(this.server.expect(CmEventType.CONNECT_REQUEST).id());
		passive.postReceive(1, 2000);
		this.provider.rdmaAccept(passive.id, parametersFor(passive));
		CmEventData peer = this.client.expect(CmEventType.ESTABLISHED);
		sendTo(active, new CmEventData(0, 0, 0, 0, 0, NO_DATA, 0, 0, peer.qpNum(), 77, peer.address(), 0), 1);
		active.expect(CompletionStatus.SUCCESS, 2);
		passive.expectNoCompletion();
	}

	@Test
	void datagramWithoutAReceiveIsLost() {
		long listener = datagramListener();
		Endpoint active = resolvedEndpoint(addressOf(listener));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		Endpoint passive = datagramEndpoint(this.server.expect(CmEventType.CONNECT_REQUEST).id());
		this.provider.rdmaAccept(passive.id, parametersFor(passive));
		sendTo(active, this.client.expect(CmEventType.ESTABLISHED), 1);
		active.expect(CompletionStatus.SUCCESS, 2);
		passive.expectNoCompletion();
	}

	@Test
	void nobodyListeningIsUnreachable() {
		long listener = datagramListener();
		Endpoint active = resolvedEndpoint(addressOf(listener));
		this.server.destroy(listener);
		this.provider.rdmaConnect(active.id, PARAMETERS);
		assertThat(this.client.expect(CmEventType.UNREACHABLE).status()).isEqualTo(UNSUPPORTED);
	}

	@Test
	void rejectionIsUnreachable() {
		long listener = datagramListener();
		Endpoint active = resolvedEndpoint(addressOf(listener));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		this.provider.rdmaReject(this.server.expect(CmEventType.CONNECT_REQUEST).id(), new byte[] { 5 });
		CmEventData event = this.client.expect(CmEventType.UNREACHABLE);
		assertThat(event.status()).isEqualTo(REJECTED);
	}

	@Test
	void requestTakesUpTo180Bytes() {
		Endpoint active = resolvedEndpoint(address(4000));
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaConnect(active.id, parameters(new byte[181])));
	}

	@Test
	void protectionDomainIsBusyWhileAnAddressHandleUsesIt() {
		long listener = datagramListener();
		Endpoint active = resolvedEndpoint(addressOf(listener));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		Endpoint passive = datagramEndpoint(this.server.expect(CmEventType.CONNECT_REQUEST).id());
		this.provider.rdmaAccept(passive.id, parametersFor(passive));
		AddressHandleAttributes path = this.client.expect(CmEventType.ESTABLISHED).address();
		assertThat(path).isNotNull();
		long pd = this.provider.ibvAllocPd(this.provider.contextOf(active.id));
		long ah = this.provider.ibvCreateAh(pd, path);
		assertErrno(Errno.EBUSY, () -> this.provider.ibvDeallocPd(pd));
		this.provider.ibvDestroyAh(ah);
		this.provider.ibvDeallocPd(pd);
	}

	@Test
	void leavingAGroupThatWasNotJoinedIsReported() {
		Endpoint endpoint = resolvedEndpoint(address(4000));
		assertErrno(Errno.EADDRNOTAVAIL, () -> this.provider.rdmaLeaveMulticast(endpoint.id,
				new InetSocketAddress(LoopbackTransport.of("239.1.2.3"), 0)));
	}

	private static ConnectionParameters parametersFor(Endpoint passive) {
		return new ConnectionParameters(NO_DATA, 0, 0, false, 0, 0, false, passive.queuePair.qpNum());
	}

}
