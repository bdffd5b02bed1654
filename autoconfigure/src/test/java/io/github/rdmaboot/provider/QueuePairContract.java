package io.github.rdmaboot.provider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Queue pairs: states, capabilities and what can be posted.
 */
abstract class QueuePairContract extends RdmaProviderContract {

	QueuePairContract(ContractTransport transport) {
		super(transport);
	}

	@Test
	void queuePairOfAnIdBeginsInInit() {
		Endpoint endpoint = endpoint(resolved(address(4000)));
		assertState(endpoint, QueuePairState.INIT);
		assertThat(endpoint.queuePair.qpNum()).isBetween(1, 0xffffff);
	}

	@Test
	void queuePairGetsAtLeastWhatItAskedFor() {
		QueuePairCapabilities got = endpoint(resolved(address(4000))).queuePair.capabilities();
		assertThat(got.maxSendWr()).isGreaterThanOrEqualTo(16);
		assertThat(got.maxRecvWr()).isGreaterThanOrEqualTo(16);
		assertThat(got.maxSendSge()).isGreaterThanOrEqualTo(2);
		assertThat(got.maxRecvSge()).isGreaterThanOrEqualTo(2);
		assertThat(got.maxInlineData()).isGreaterThanOrEqualTo(64);
	}

	@Test
	void queuePairNumbersDiffer() {
		assertThat(endpoint(resolved(address(4000))).queuePair.qpNum())
			.isNotEqualTo(endpoint(resolved(address(4000))).queuePair.qpNum());
	}

	@ParameterizedTest
	@CsvSource({ "10000000, 1, 1, 1", "1, 10000000, 1, 1", "1, 1, 1000, 1", "1, 1, 1, 1000" })
	void capabilitiesBeyondTheDeviceAreInvalid(int sendWr, int recvWr, int sendSge, int recvSge) {
		long id = resolved(address(4000));
		Endpoint endpoint = endpoint(id);
		assertErrno(Errno.EINVAL,
				() -> this.provider.ibvCreateQp(endpoint.pd, new QueuePairInit(endpoint.cq, endpoint.cq, 0,
						new QueuePairCapabilities(sendWr, recvWr, sendSge, recvSge, 0), QueuePairType.RC, false)));
	}

	@Test
	void receivesMayBePostedBeforeTheConnection() {
		Endpoint endpoint = endpoint(resolved(address(4000)));
		assertThat(endpoint.postReceive(1, 100)).isZero();
		endpoint.expectNoCompletion();
	}

	@Test
	void sendsCannotBePostedBeforeTheConnection() {
		Endpoint endpoint = endpoint(resolved(address(4000)));
		SendWorkRequest request = endpoint.request(WorkRequestOpcode.SEND, 1, 1);
		assertThat(endpoint.post(request)).isEqualTo(rules().sendBeforeTheConnection());
		endpoint.expectNoCompletion();
	}

	@Test
	void sendThatWasRefusedIsForgottenSentLaterOrInTheWay() {
		long listener = listener(0);
		Endpoint active = endpoint(resolved(addressOf(listener)));
		assertThat(active.post(active.request(WorkRequestOpcode.SEND, 1, 7)))
			.isEqualTo(rules().sendBeforeTheConnection());
		this.provider.rdmaConnect(active.id, PARAMETERS);
		Endpoint passive = endpoint(this.server.expect(CmEventType.CONNECT_REQUEST).id());
		passive.postReceive(1, 100);
		passive.postReceive(2, 100);
		this.provider.rdmaAccept(passive.id, PARAMETERS);
		this.client.expect(CmEventType.ESTABLISHED);
		this.server.expect(CmEventType.ESTABLISHED);
		active.post(active.request(WorkRequestOpcode.SEND, 2, 9));
		switch (rules().refusedSend()) {
			case FORGOTTEN -> assertThat(passive.expect(CompletionStatus.SUCCESS, 1).byteLength).isEqualTo(9);
			case SENT_LATER -> {
				assertThat(passive.expect(CompletionStatus.SUCCESS, 1).byteLength).isEqualTo(7);
				assertThat(passive.expect(CompletionStatus.SUCCESS, 2).byteLength).isEqualTo(9);
			}
			case BLOCKS_THE_QUEUE -> {
				this.server.letTimePass();
				passive.expectNoCompletion();
			}
		}
	}

	@Test
	void fullReceiveQueueIsReportedAtTheFirstRequestThatDidNotFit() {
		Endpoint endpoint = endpoint(resolved(address(4000)));
		int posted = 0;
		int errno = 0;
		while (errno == 0 && posted < 1000) {
			errno = endpoint.postReceive(posted, 10);
			posted += (errno == 0) ? 1 : 0;
		}
		assertThat(errno).isEqualTo(Errno.ENOMEM.value());
		assertThat(posted).isGreaterThanOrEqualTo(16);
	}

	@Test
	void listIsTakenUpToTheFirstRequestThatFails() {
		Endpoint endpoint = endpoint(resolved(address(4000)));
		ReceiveWorkRequest good = endpoint.receive(1, 10);
		ReceiveWorkRequest bad = new ReceiveWorkRequest(64);
		bad.sgeCount = 64;
		ReceiveWorkRequest after = new ReceiveWorkRequest(1);
		good.next = bad;
		bad.next = after;
		assertThat(this.provider.ibvPostRecv(endpoint.qp(), good)).isEqualTo(Errno.EINVAL.value());
		assertThat(good.posted).isTrue();
		assertThat(bad.posted).isFalse();
		assertThat(after.posted).isFalse();
	}

	@Test
	void receiveWithoutBuffersIsTakenUnlessTheDriverNeedsOne() {
		Endpoint endpoint = endpoint(resolved(address(4000)));
		assertThat(this.provider.ibvPostRecv(endpoint.qp(), new ReceiveWorkRequest(1)))
			.isEqualTo(rules().receivesNeedABuffer() ? Errno.EINVAL.value() : 0);
	}

	@Test
	void sendWithTooManyBuffersIsInvalid() {
		Endpoint active = connect().active();
		SendWorkRequest request = new SendWorkRequest(64);
		request.opcode = WorkRequestOpcode.SEND.value();
		request.sgeCount = 64;
		assertThat(active.post(request)).isEqualTo(Errno.EINVAL.value());
		assertThat(request.posted).isFalse();
	}

	@Test
	void tooMuchInlineDataIsInvalid() {
		Endpoint active = connect().active();
		int tooMuch = rules().inlineLimit(active.queuePair.capabilities().maxInlineData()) + 1;
		SendWorkRequest request = active.request(WorkRequestOpcode.SEND, 1, tooMuch);
		request.flags |= SendFlag.INLINE.value();
		assertThat(active.post(request)).isEqualTo(Errno.EINVAL.value());
	}

	@ParameterizedTest
	@EnumSource(value = QueuePairState.class, names = { "RTR", "RTS", "SQD", "SQE", "ERR" })
	void newQueuePairMayNotSkipItsStates(QueuePairState state) {
		CreatedQueuePair own = ownQueuePair(endpoint(resolved(address(4000))));
		assertOutcome(rules().refusesFromReset(state) ? Errno.EINVAL : null,
				() -> this.provider.ibvModifyQp(own.qp(), QueuePairAttributes.ofState(state)));
	}

	@Test
	void initNeedsItsAttributes() {
		CreatedQueuePair own = ownQueuePair(endpoint(resolved(address(4000))));
		assertOutcome(rules().checksTransitions() ? Errno.EINVAL : null,
				() -> this.provider.ibvModifyQp(own.qp(), QueuePairAttributes.ofState(QueuePairState.INIT)));
	}

	@ParameterizedTest
	@EnumSource(value = QueuePairState.class, names = { "RESET", "ERR" })
	void anyQueuePairMayGoToResetAndError(QueuePairState state) {
		Endpoint endpoint = endpoint(resolved(address(4000)));
		this.provider.ibvModifyQp(endpoint.qp(), QueuePairAttributes.ofState(state));
		assertState(endpoint, state);
	}

	@Test
	void errorCannotBeLeftButThroughReset() {
		Endpoint endpoint = connect().active();
		this.provider.ibvModifyQp(endpoint.qp(), QueuePairAttributes.ofState(QueuePairState.ERR));
		assertOutcome(rules().checksTransitions() ? Errno.EINVAL : null,
				() -> this.provider.ibvModifyQp(endpoint.qp(), QueuePairAttributes.ofState(QueuePairState.RTS)));
		this.provider.ibvModifyQp(endpoint.qp(), QueuePairAttributes.ofState(QueuePairState.RESET));
		assertState(endpoint, QueuePairState.RESET);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 3, 8 })
	void goingToErrorFlushesEveryReceiveOnceInOrder(int receives) {
		Endpoint endpoint = connect().passive();
		for (int i = 0; i < receives; i++) {
			endpoint.postReceive(100 + i, 10);
		}
		this.provider.ibvModifyQp(endpoint.qp(), QueuePairAttributes.ofState(QueuePairState.ERR));
		for (int i = 0; i < receives; i++) {
			endpoint.expect(CompletionStatus.WR_FLUSH_ERR, 100 + i);
		}
		endpoint.expectNoCompletion();
	}

	@Test
	void connectionLimitsAccessToWhatTheParametersAllow() {
		ConnectionParameters noReads = new ConnectionParameters(NO_DATA, 0, 0, true, 7, 7, false, 0);
		Connected connected = connect(noReads, noReads);
		int access = this.provider.ibvQueryQp(connected.passive().qp(), QueuePairAttributes.ACCESS_FLAGS).accessFlags();
		assertThat(access).isEqualTo(rules().reportedAccess(AccessFlag.REMOTE_WRITE.value()));
	}

	@Test
	void connectionAllowsReadsWithResponderResources() {
		Connected connected = connect();
		int access = this.provider.ibvQueryQp(connected.passive().qp(), QueuePairAttributes.ACCESS_FLAGS).accessFlags();
		assertThat(access).isEqualTo(rules().reportedAccess(
				AccessFlag.REMOTE_WRITE.value() | AccessFlag.REMOTE_READ.value() | AccessFlag.REMOTE_ATOMIC.value()));
	}

	@Test
	void queuePairKnowsItsPeer() {
		Connected connected = connect();
		assertThat(this.provider.ibvQueryQp(connected.active().qp(), QueuePairAttributes.DEST_QPN).destinationQpNum())
			.isEqualTo(rules().reportedPeer(connected.passive().queuePair.qpNum()));
	}

	@ParameterizedTest
	@CsvSource({ "129, 1", "1, 129", "254, 254" })
	void depthsBeyondTheDeviceAreInvalid(int responderResources, int initiatorDepth) {
		Endpoint active = endpoint(resolved(address(4000)));
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaConnect(active.id,
				new ConnectionParameters(NO_DATA, responderResources, initiatorDepth, true, 7, 7, false, 0)));
	}

	@Test
	void depthsArriveAsSeenFromTheOtherSide() {
		long listener = listener(0);
		Endpoint active = endpoint(resolved(addressOf(listener)));
		this.provider.rdmaConnect(active.id, new ConnectionParameters(NO_DATA, 3, 5, true, 7, 7, false, 0));
		CmEventData request = this.server.expect(CmEventType.CONNECT_REQUEST);
		assertThat(request.responderResources()).isEqualTo(5);
		assertThat(request.initiatorDepth()).isEqualTo(3);
	}

	@Test
	void ownQueuePairConnectsWithTheAttributesOfTheId() {
		long listener = listener(0);
		long id = resolved(addressOf(listener));
		Endpoint helper = endpoint(resolved(addressOf(listener)));
		CreatedQueuePair own = ownQueuePair(helper);
		this.provider.ibvModifyQp(own.qp(), this.provider.rdmaInitQpAttr(id, QueuePairState.INIT));
		this.provider.rdmaConnect(id, parametersOf(own.qpNum()));
		Endpoint passive = endpoint(this.server.expect(CmEventType.CONNECT_REQUEST).id());
		passive.postReceive(1, 10);
		this.provider.rdmaAccept(passive.id, PARAMETERS);
		if (rules().ownQueuePairsAreMovedByTheApplication()) {
			this.client.expect(CmEventType.CONNECT_RESPONSE);
			this.provider.ibvModifyQp(own.qp(), this.provider.rdmaInitQpAttr(id, QueuePairState.RTR));
			this.provider.ibvModifyQp(own.qp(), this.provider.rdmaInitQpAttr(id, QueuePairState.RTS));
			this.provider.rdmaEstablish(id);
		}
		else {
			this.client.expect(CmEventType.ESTABLISHED);
		}
		this.server.expect(CmEventType.ESTABLISHED);
		SendWorkRequest request = helper.request(WorkRequestOpcode.SEND, 2, 4);
		assertThat(this.provider.ibvPostSend(own.qp(), request)).isZero();
		passive.expect(CompletionStatus.SUCCESS, 1);
		helper.expect(CompletionStatus.SUCCESS, 2);
	}

}
