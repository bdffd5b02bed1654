package io.github.rdmaboot.provider;

import java.net.InetSocketAddress;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Shared receive queues and multicast groups.
 */
abstract class SharedReceiveContract extends RdmaProviderContract {

	private static final InetSocketAddress GROUP = new InetSocketAddress(LoopbackTransport.of("239.1.2.3"), 0);

	SharedReceiveContract(ContractTransport transport) {
		super(transport);
	}

	private ReceiveWorkRequest receive(Endpoint endpoint, long wrId) {
		ReceiveWorkRequest request = new ReceiveWorkRequest(1);
		request.wrId = wrId;
		request.sgeCount = 1;
		request.addresses[0] = endpoint.memory.address();
		request.lengths[0] = 64;
		request.lkeys[0] = endpoint.memory.lkey();
		return request;
	}

	private CreatedQueuePair shared(Endpoint endpoint, long srq) {
		return this.provider.ibvCreateQp(endpoint.pd, new QueuePairInit(endpoint.cq, endpoint.cq, srq,
				new QueuePairCapabilities(2, 0, 1, 0, 0), QueuePairType.RC, false));
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 5, 16 })
	void sharedQueueTakesAtLeastWhatItWasAskedFor(int receives) {
		Endpoint endpoint = endpoint(resolved(address(4000)));
		long srq = this.provider.rdmaCreateSrq(endpoint.id, endpoint.pd, receives, 1);
		for (int i = 0; i < receives; i++) {
			assertThat(this.provider.ibvPostSrqRecv(srq, receive(endpoint, i))).isZero();
		}
		this.provider.rdmaDestroySrq(endpoint.id);
	}

	@Test
	void sharedQueueIsBusyWhileAQueuePairUsesIt() {
		Endpoint endpoint = endpoint(resolved(address(4000)));
		long srq = this.provider.rdmaCreateSrq(endpoint.id, endpoint.pd, 4, 1);
		CreatedQueuePair created = shared(endpoint, srq);
		assertErrno(Errno.EBUSY, () -> this.provider.rdmaDestroySrq(endpoint.id));
		this.provider.ibvDestroyQp(created.qp());
		this.provider.rdmaDestroySrq(endpoint.id);
	}

	@Test
	void sharedQueueWithoutAnIdIsBusyWhileAQueuePairUsesItAndHoldsItsProtectionDomain() {
		Endpoint endpoint = endpoint(resolved(address(4000)));
		long srq = this.provider.ibvCreateSrq(endpoint.pd, 4, 1);
		assertThat(this.provider.ibvPostSrqRecv(srq, receive(endpoint, 1))).isZero();
		CreatedQueuePair created = shared(endpoint, srq);
		assertErrno(Errno.EBUSY, () -> this.provider.ibvDestroySrq(srq));
		this.provider.ibvDestroyQp(created.qp());
		this.provider.ibvDestroySrq(srq);
		assertErrno(Errno.EINVAL, () -> this.provider.ibvCreateSrq(endpoint.pd, 0, 1));
	}

	@Test
	void sharedReceivesAreNotFlushedWithAQueuePair() {
		Endpoint endpoint = endpoint(resolved(address(4000)));
		long srq = this.provider.rdmaCreateSrq(endpoint.id, endpoint.pd, 4, 1);
		CreatedQueuePair created = shared(endpoint, srq);
		assertThat(this.provider.ibvPostSrqRecv(srq, receive(endpoint, 1))).isZero();
		this.provider.ibvModifyQp(created.qp(), this.provider.rdmaInitQpAttr(endpoint.id, QueuePairState.INIT));
		this.provider.ibvModifyQp(created.qp(), QueuePairAttributes.ofState(QueuePairState.ERR));
		endpoint.expectNoCompletion();
		this.provider.ibvDestroyQp(created.qp());
		this.provider.rdmaDestroySrq(endpoint.id);
	}

	@Test
	@Needs(TransportRules.Capability.MULTICAST)
	void groupIsJoinedAndLeft() {
		long id = this.client.newId(PortSpace.UDP);
		this.provider.rdmaBindAddr(id, address(0));
		this.provider.rdmaJoinMulticast(id, GROUP, 0);
		CmEventData event = this.client.expect(CmEventType.MULTICAST_JOIN);
		assertThat(event.status()).isZero();
		assertThat(event.qpNum()).isEqualTo(0xffffff);
		assertThat(event.address()).isNotNull();
		this.provider.rdmaLeaveMulticast(id, GROUP);
		assertErrno(Errno.EADDRNOTAVAIL, () -> this.provider.rdmaLeaveMulticast(id, GROUP));
	}

	@Test
	@Needs(TransportRules.Capability.MULTICAST)
	void unacknowledgedJoinBlocksLeaving() throws Exception {
		long id = this.client.newId(PortSpace.UDP);
		this.provider.rdmaBindAddr(id, address(0));
		this.provider.rdmaJoinMulticast(id, GROUP, 0);
		CmEventData event = this.client.fetch();
		BlockedCall leaving = BlockedCall.start(() -> this.provider.rdmaLeaveMulticast(id, GROUP));
		leaving.isBlocked();
		this.client.acknowledge(event);
		leaving.returns();
	}

}
