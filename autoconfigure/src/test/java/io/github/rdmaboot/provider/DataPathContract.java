package io.github.rdmaboot.provider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Messages, remote memory and atomics over a reliable connection, and their errors.
 */
abstract class DataPathContract extends RdmaProviderContract {

	private static final int IMMEDIATE = 0x12345678;

	private static final int WITH_IMMEDIATE = 2;

	DataPathContract(ContractTransport transport) {
		super(transport);
	}

	private static ConnectionParameters parametersWithRnrRetry(int count) {
		return new ConnectionParameters(NO_DATA, 1, 1, true, 7, count, false, 0);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 2, 255, 1024, 1025, 4096, 8192 })
	void messageOfAnyLengthArrivesWhole(int length) {
		Connected connected = connect();
		Endpoint active = connected.active();
		Endpoint passive = connected.passive();
		for (int i = 0; i < length; i++) {
			active.buffer.put(i, (byte) (i * 31));
		}
		passive.postReceive(1, Endpoint.HALF);
		assertThat(active.post(active.request(WorkRequestOpcode.SEND, 2, length))).isZero();
		assertThat(passive.expect(CompletionStatus.SUCCESS, 1).byteLength).isEqualTo(length);
		active.expect(CompletionStatus.SUCCESS, 2);
		for (int i = 0; i < length; i++) {
			assertThat(passive.buffer.get(Endpoint.HALF + i)).isEqualTo((byte) (i * 31));
		}
	}

	@Test
	void completionsTellTheOperationAndTheQueuePair() {
		Connected connected = connect();
		connected.passive().postReceive(1, 10);
		connected.active().send(2, "x");
		WorkCompletion received = connected.passive().expect(CompletionStatus.SUCCESS, 1);
		assertThat(CompletionOpcode.of(received.opcode)).isEqualTo(CompletionOpcode.RECV);
		assertThat(received.qpNum).isEqualTo(connected.passive().queuePair.qpNum());
		WorkCompletion sent = connected.active().expect(CompletionStatus.SUCCESS, 2);
		assertThat(CompletionOpcode.of(sent.opcode)).isEqualTo(CompletionOpcode.SEND);
		assertThat(sent.qpNum).isEqualTo(connected.active().queuePair.qpNum());
	}

	@Test
	void messagesArriveInOrderBothWays() {
		Connected connected = connect();
		for (int i = 0; i < 5; i++) {
			connected.passive().postReceive(i, 10);
			connected.active().postReceive(50 + i, 10);
		}
		for (int i = 0; i < 5; i++) {
			connected.active().send(100 + i, "a" + i);
			connected.active().expect(CompletionStatus.SUCCESS, 100 + i);
			connected.passive().expect(CompletionStatus.SUCCESS, i);
			assertThat(connected.passive().received(2)).isEqualTo("a" + i);
			connected.passive().send(200 + i, "p" + i);
			connected.passive().expect(CompletionStatus.SUCCESS, 200 + i);
			connected.active().expect(CompletionStatus.SUCCESS, 50 + i);
			assertThat(connected.active().received(2)).isEqualTo("p" + i);
		}
	}

	@Test
	@Needs(TransportRules.Capability.IMMEDIATE_DATA)
	void immediateDataArrivesBesideTheMessage() {
		Connected connected = connect();
		connected.passive().postReceive(1, 10);
		SendWorkRequest request = connected.active().request(WorkRequestOpcode.SEND_WITH_IMM, 2, 3);
		request.immediateData = IMMEDIATE;
		connected.active().postTaken(request);
		WorkCompletion received = connected.passive().expect(CompletionStatus.SUCCESS, 1);
		assertThat(received.immediateData).isEqualTo(IMMEDIATE);
		assertThat(received.flags & WITH_IMMEDIATE).isNotZero();
		assertThat(received.byteLength).isEqualTo(3);
	}

	@Test
	void messageIsGatheredFromSeveralBuffers() {
		Connected connected = connect();
		connected.passive().postReceive(1, 10);
		Endpoint active = connected.active();
		active.buffer.put(0, new byte[] { 'a', 'b', 'c', 'd' });
		SendWorkRequest request = active.request(WorkRequestOpcode.SEND, 2, 1);
		request.sgeCount = 2;
		request.addresses[1] = active.memory.address() + 2;
		request.lengths[1] = 2;
		request.lkeys[1] = active.memory.lkey();
		assertThat(active.post(request)).isZero();
		connected.passive().expect(CompletionStatus.SUCCESS, 1);
		assertThat(connected.passive().received(3)).isEqualTo("acd");
	}

	@Test
	void inlineDataNeedsNoKeyAndIsCopiedAtOnce() {
		Connected connected = connect();
		connected.passive().postReceive(1, 10);
		Endpoint active = connected.active();
		active.buffer.put(0, new byte[] { 'o', 'l', 'd' });
		SendWorkRequest request = active.request(WorkRequestOpcode.SEND, 2, 3);
		request.flags |= SendFlag.INLINE.value();
		request.lkeys[0] = 0;
		assertThat(active.post(request)).isZero();
		active.buffer.put(0, new byte[] { 'n', 'e', 'w' });
		connected.passive().expect(CompletionStatus.SUCCESS, 1);
		assertThat(connected.passive().received(3)).isEqualTo("old");
	}

	@Test
	void unsignalledSendLeavesNoCompletion() {
		Connected connected = connect();
		connected.passive().postReceive(1, 10);
		connected.passive().postReceive(2, 10);
		SendWorkRequest silent = connected.active().request(WorkRequestOpcode.SEND, 3, 1);
		silent.flags = 0;
		assertThat(connected.active().post(silent)).isZero();
		connected.active().send(4, "x");
		connected.passive().expect(CompletionStatus.SUCCESS, 1);
		connected.passive().expect(CompletionStatus.SUCCESS, 2);
		connected.active().expect(CompletionStatus.SUCCESS, 4);
		connected.active().expectNoCompletion();
	}

	@Test
	void listOfSendsIsCarriedOutInOrder() {
		Connected connected = connect();
		connected.passive().postReceive(1, 10);
		connected.passive().postReceive(2, 10);
		SendWorkRequest first = connected.active().request(WorkRequestOpcode.SEND, 3, 1);
		first.next = connected.active().request(WorkRequestOpcode.SEND, 4, 2);
		assertThat(connected.active().post(first)).isZero();
		assertThat(connected.passive().expect(CompletionStatus.SUCCESS, 1).byteLength).isEqualTo(1);
		assertThat(connected.passive().expect(CompletionStatus.SUCCESS, 2).byteLength).isEqualTo(2);
		connected.active().expect(CompletionStatus.SUCCESS, 3);
		connected.active().expect(CompletionStatus.SUCCESS, 4);
	}

	@Test
	void senderWaitsForAReceiveWithoutEnd() {
		Connected connected = connect();
		connected.active().send(2, "late");
		if (!rules().senderHearsOfFailures()) {
			connected.active().expect(CompletionStatus.SUCCESS, 2);
			assertEnded();
			return;
		}
		connected.active().expectNoCompletion();
		connected.passive().postReceive(1, 10);
		connected.passive().expect(CompletionStatus.SUCCESS, 1);
		connected.active().expect(CompletionStatus.SUCCESS, 2);
		assertThat(connected.passive().received(4)).isEqualTo("late");
	}

	@Test
	void senderWithoutRetriesFailsAtOnceWhenThereIsNoReceive() {
		Connected connected = connect(parametersWithRnrRetry(0), parametersWithRnrRetry(0));
		connected.active().send(2, "lost");
		expectFailure(connected, CompletionStatus.RNR_RETRY_EXC_ERR, 2);
		assertState(connected.active(), QueuePairState.ERR);
		assertState(connected.passive(), QueuePairState.RTS);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 3, 6 })
	void senderGivesUpAfterItsRetriesWhenThereIsNoReceive(int retries) {
		Connected connected = connect(parametersWithRnrRetry(retries), parametersWithRnrRetry(retries));
		this.provider.ibvModifyQp(connected.passive().qp(), QueuePairAttributes.ofMinRnrTimer(12));
		connected.active().send(2, "lost");
		expectFailure(connected, CompletionStatus.RNR_RETRY_EXC_ERR, 2);
	}

	@Test
	void messageThatIsTooLongFailsOnBothSides() {
		Connected connected = connect();
		connected.passive().postReceive(1, 3);
		connected.active().send(2, "four");
		// Hardware reports LOC_LEN_ERR and REM_INV_REQ_ERR.
		expectFailure(connected, CompletionStatus.REM_OP_ERR, 2);
		connected.passive().expect(rules().receiveTooShort(), 1);
		assertState(connected.active(), QueuePairState.ERR);
		assertState(connected.passive(), QueuePairState.ERR);
	}

	@Test
	void sendFromUnregisteredMemoryIsALocalOperationError() {
		Connected connected = connect();
		connected.passive().postReceive(1, 10);
		SendWorkRequest request = connected.active().request(WorkRequestOpcode.SEND, 2, 4);
		request.lkeys[0] = 0x7fff0001;
		assertThat(connected.active().post(request)).isZero();
		// Hardware reports LOC_PROT_ERR.
		connected.active().expect(CompletionStatus.LOC_QP_OP_ERR, 2);
		assertState(connected.active(), QueuePairState.ERR);
	}

	@Test
	void receiveIntoUnregisteredMemoryFailsOnBothSides() {
		Connected connected = connect();
		ReceiveWorkRequest receive = new ReceiveWorkRequest(1);
		receive.wrId = 1;
		receive.sgeCount = 1;
		receive.addresses[0] = connected.passive().memory.address();
		receive.lengths[0] = 10;
		receive.lkeys[0] = 0x7fff0001;
		assertThat(this.provider.ibvPostRecv(connected.passive().qp(), receive)).isZero();
		connected.active().send(2, "x");
		expectFailure(connected, CompletionStatus.REM_OP_ERR, 2);
		connected.passive().expect(rules().receiveWithoutMemory(), 1);
	}

	@Test
	void sendBeyondTheMemoryRegionIsALocalProtectionError() {
		Connected connected = connect();
		connected.passive().postReceive(1, 10);
		SendWorkRequest request = connected.active().request(WorkRequestOpcode.SEND, 2, 4);
		request.addresses[0] += Endpoint.BUFFER - 2;
		assertThat(connected.active().post(request)).isZero();
		connected.active().expect(rules().sendBeyondItsRegion(), 2);
	}

}
