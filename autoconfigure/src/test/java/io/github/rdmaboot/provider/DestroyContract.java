package io.github.rdmaboot.provider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * The rules of destroying that hurt: what blocks, what is busy, what leaves traces.
 */
abstract class DestroyContract extends RdmaProviderContract {

	DestroyContract(ContractTransport transport) {
		super(transport);
	}

	@Test
	void unacknowledgedEventBlocksTheDestroyOfItsId() throws Exception {
		long id = this.client.newId(PortSpace.TCP);
		this.provider.rdmaResolveAddr(id, null, address(4000), 2000);
		CmEventData event = this.client.fetch();
		BlockedCall destroy = BlockedCall.start(() -> this.provider.rdmaDestroyId(id));
		destroy.isBlocked();
		this.client.forget(id);
		this.client.acknowledge(event);
		destroy.returns();
	}

	@Test
	void blockedDestroyCannotBeInterrupted() throws Exception {
		long id = this.client.newId(PortSpace.TCP);
		this.provider.rdmaResolveAddr(id, null, address(4000), 2000);
		CmEventData event = this.client.fetch();
		BlockedCall destroy = BlockedCall.start(() -> this.provider.rdmaDestroyId(id));
		destroy.interrupt();
		destroy.isBlocked();
		this.client.forget(id);
		this.client.acknowledge(event);
		destroy.returns();
		assertThat(destroy.wasInterrupted()).isTrue();
	}

	@Test
	void unfetchedEventDoesNotBlockTheDestroyAndIsDropped() {
		long id = this.client.newId(PortSpace.TCP);
		this.provider.rdmaResolveAddr(id, null, address(4000), 2000);
		this.client.destroy(id);
		this.client.expectSilence();
	}

	@Test
	void unacknowledgedRequestBlocksTheDestroyOfItsListener() throws Exception {
		long listener = listener(0);
		Endpoint active = endpoint(resolved(addressOf(listener)));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		CmEventData request = this.server.fetch();
		BlockedCall destroy = BlockedCall.start(() -> this.provider.rdmaDestroyId(listener));
		destroy.isBlocked();
		this.server.forget(listener);
		this.server.acknowledge(request);
		destroy.returns();
	}

	@Test
	void unacknowledgedRequestDoesNotBlockTheDestroyOfTheChild() {
		long listener = listener(0);
		Endpoint active = endpoint(resolved(addressOf(listener)));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		CmEventData request = this.server.fetch();
		this.server.destroy(request.id());
		this.client.expect(CmEventType.REJECTED);
		this.server.acknowledge(request);
	}

	@Test
	void everyFetchedEventMustBeAcknowledged() throws Exception {
		Connected connected = connect();
		this.provider.rdmaDisconnect(connected.active().id);
		CmEventData event = this.server.fetch();
		connected.passive().close();
		BlockedCall destroy = BlockedCall.start(() -> this.provider.rdmaDestroyId(connected.passive().id));
		destroy.isBlocked();
		this.server.forget(connected.passive().id);
		this.server.acknowledge(event);
		destroy.returns();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 5 })
	void requestBeyondTheBacklogIsNotReported(int backlog) {
		long listener = listener(backlog);
		for (int i = 0; i <= backlog; i++) {
			Endpoint active = endpoint(resolved(addressOf(listener)));
			this.provider.rdmaConnect(active.id, PARAMETERS);
		}
		if (rules().backlogOverflowIsSilent()) {
			// Requests take time to arrive, and a fetched one makes room for another.
			this.client.expectSilence();
		}
		else {
			assertThat(this.client.expect(CmEventType.REJECTED).status()).isEqualTo(rules().rejectedByApplication());
		}
		for (int i = 0; i < backlog; i++) {
			this.server.expect(CmEventType.CONNECT_REQUEST);
		}
		this.server.expectSilence();
		this.client.expectSilence();
	}

	@Test
	void queuedEventsMoveWithAMigratedId() {
		long id = this.client.newId(PortSpace.TCP);
		this.provider.rdmaResolveAddr(id, null, address(4000), 2000);
		long waker = this.provider.createWaker();
		assertThat(this.provider.awaitCmEvent(this.client.channel(), waker, 5000)).isTrue();
		this.provider.destroyWaker(waker);
		this.provider.rdmaMigrateId(id, this.server.channel());
		this.client.handOver(id, this.server);
		this.server.expect(CmEventType.ADDR_RESOLVED);
		this.client.expectSilence();
	}

	@Test
	void migrationWaitsForAcknowledgements() throws Exception {
		long id = this.client.newId(PortSpace.TCP);
		this.provider.rdmaResolveAddr(id, null, address(4000), 2000);
		CmEventData event = this.client.fetch();
		BlockedCall migration = BlockedCall.start(() -> this.provider.rdmaMigrateId(id, this.server.channel()));
		migration.isBlocked();
		this.client.acknowledge(event);
		migration.returns();
		this.client.handOver(id, this.server);
		this.provider.rdmaResolveRoute(id, 2000);
		this.server.expect(CmEventType.ROUTE_RESOLVED);
	}

	@Test
	void completionQueueIsBusyWhileAQueuePairUsesIt() {
		Endpoint endpoint = endpoint(resolved(address(4000)));
		assertErrno(Errno.EBUSY, () -> this.provider.ibvDestroyCq(endpoint.cq));
	}

	@Test
	void protectionDomainIsBusyWhileAQueuePairOrMemoryUsesIt() {
		Endpoint endpoint = endpoint(resolved(address(4000)));
		assertErrno(Errno.EBUSY, () -> this.provider.ibvDeallocPd(endpoint.pd));
		endpoint.destroyQp();
		assertErrno(Errno.EBUSY, () -> this.provider.ibvDeallocPd(endpoint.pd));
	}

	@Test
	void completionChannelIsBusyWhileACompletionQueueUsesIt() {
		Endpoint endpoint = endpoint(resolved(address(4000)));
		assertErrno(Errno.EBUSY, () -> this.provider.ibvDestroyCompChannel(endpoint.completionChannel));
	}

	@Test
	void unacknowledgedCompletionEventBlocksTheDestroyOfItsQueue() throws Exception {
		long id = resolved(address(4000));
		Endpoint endpoint = endpoint(id);
		long channel = this.provider.ibvCreateCompChannel(this.provider.contextOf(id));
		long cq = this.provider.ibvCreateCq(this.provider.contextOf(id), 8, channel, 0);
		CreatedQueuePair created = this.provider.ibvCreateQp(endpoint.pd,
				new QueuePairInit(cq, cq, 0, new QueuePairCapabilities(1, 1, 1, 1, 0), QueuePairType.RC, false));
		this.provider.ibvReqNotifyCq(cq, false);
		this.provider.ibvModifyQp(created.qp(), initAttributes());
		assertThat(this.provider.ibvPostRecv(created.qp(), endpoint.receive(1, 10))).isZero();
		this.provider.ibvModifyQp(created.qp(), QueuePairAttributes.ofState(QueuePairState.ERR));
		assertThat(this.provider.awaitCqEvent(channel, endpoint.waker, 5000)).isTrue();
		assertThat(this.provider.ibvGetCqEvent(channel)).isEqualTo(cq);
		this.provider.ibvDestroyQp(created.qp());
		BlockedCall destroy = BlockedCall.start(() -> this.provider.ibvDestroyCq(cq));
		destroy.isBlocked();
		this.provider.ibvAckCqEvents(cq, 1);
		destroy.returns();
		this.provider.ibvDestroyCompChannel(channel);
	}

	private static QueuePairAttributes initAttributes() {
		int mask = QueuePairAttributes.STATE | QueuePairAttributes.PKEY_INDEX | QueuePairAttributes.PORT
				| QueuePairAttributes.ACCESS_FLAGS;
		return new QueuePairAttributes(mask, QueuePairState.INIT, QueuePairState.UNKNOWN, 0, 0, 0, 0, 0, 0, null, null,
				0, 0, 0, 0, 1, 0, 0, 0);
	}

	@Test
	void queuePairMayBeDestroyedAfterItsId() {
		Connected connected = connect();
		long id = connected.active().id;
		this.client.destroy(id);
		assertThat(this.server.expect(CmEventType.DISCONNECTED).status()).isZero();
		assertState(connected.active(), QueuePairState.RTS);
		this.provider.ibvDestroyQp(connected.active().qp());
		connected.active().queuePairIsGone();
	}

	@Test
	void verbsObjectsMayBeDestroyedAfterTheIdIsGone() {
		long id = resolved(address(4000));
		Endpoint endpoint = endpoint(id);
		endpoint.destroyQp();
		this.client.destroy(id);
		assertThatNoException().isThrownBy(endpoint::close);
	}

	@Test
	void closingTheChannelDisconnectsThePeer() {
		Connected connected = connect();
		CmFixture third = new CmFixture(this.provider, transport().silenceMillis());
		this.provider.rdmaMigrateId(connected.active().id, third.channel());
		this.client.forget(connected.active().id);
		connected.active().close();
		this.provider.rdmaDestroyEventChannel(third.channel());
		assertThat(this.server.expect(CmEventType.DISCONNECTED).status()).isZero();
	}

	@Test
	void idCanHaveAnotherQueuePairAfterTheFirst() {
		long id = resolved(address(4000));
		Endpoint first = endpoint(id);
		first.destroyQp();
		Endpoint second = endpoint(id);
		assertState(second, QueuePairState.INIT);
	}

	@Test
	void idHasOneQueuePairAtATime() {
		long id = resolved(address(4000));
		Endpoint first = endpoint(id);
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaCreateQp(id, first.pd, new QueuePairInit(first.cq, first.cq,
				0, new QueuePairCapabilities(1, 1, 1, 1, 0), QueuePairType.RC, false)));
	}

}
