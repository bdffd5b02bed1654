package io.github.rdmaboot.provider;

import java.nio.ByteOrder;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
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

	private static SendWorkRequest remote(Endpoint from, Endpoint to, WorkRequestOpcode opcode, int length) {
		SendWorkRequest request = from.request(opcode, 1, length);
		request.remoteAddress = to.memory.address();
		request.rkey = to.memory.rkey();
		return request;
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
	void immediateDataArrivesBesideTheMessage() {
		Connected connected = connect();
		connected.passive().postReceive(1, 10);
		SendWorkRequest request = connected.active().request(WorkRequestOpcode.SEND_WITH_IMM, 2, 3);
		request.immediateData = IMMEDIATE;
		assertThat(connected.active().post(request)).isZero();
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
		connected.active().expect(CompletionStatus.RNR_RETRY_EXC_ERR, 2);
		assertThat(connected.active().state()).isEqualTo(QueuePairState.ERR);
		assertThat(connected.passive().state()).isEqualTo(QueuePairState.RTS);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 3, 6 })
	void senderGivesUpAfterItsRetriesWhenThereIsNoReceive(int retries) {
		Connected connected = connect(parametersWithRnrRetry(retries), parametersWithRnrRetry(retries));
		this.provider.ibvModifyQp(connected.passive().qp(), QueuePairAttributes.ofMinRnrTimer(12));
		connected.active().send(2, "lost");
		connected.active().expect(CompletionStatus.RNR_RETRY_EXC_ERR, 2);
	}

	@Test
	void messageThatIsTooLongFailsOnBothSides() {
		Connected connected = connect();
		connected.passive().postReceive(1, 3);
		connected.active().send(2, "four");
		// Hardware reports LOC_LEN_ERR and REM_INV_REQ_ERR.
		connected.active().expect(CompletionStatus.REM_OP_ERR, 2);
		connected.passive().expect(CompletionStatus.LOC_QP_OP_ERR, 1);
		assertThat(connected.active().state()).isEqualTo(QueuePairState.ERR);
		assertThat(connected.passive().state()).isEqualTo(QueuePairState.ERR);
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
		assertThat(connected.active().state()).isEqualTo(QueuePairState.ERR);
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
		connected.active().expect(CompletionStatus.REM_OP_ERR, 2);
		connected.passive().expect(CompletionStatus.LOC_QP_OP_ERR, 1);
	}

	@Test
	void sendBeyondTheMemoryRegionIsALocalProtectionError() {
		Connected connected = connect();
		connected.passive().postReceive(1, 10);
		SendWorkRequest request = connected.active().request(WorkRequestOpcode.SEND, 2, 4);
		request.addresses[0] += Endpoint.BUFFER - 2;
		assertThat(connected.active().post(request)).isZero();
		connected.active().expect(CompletionStatus.LOC_PROT_ERR, 2);
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 1000, 5000 })
	void writeChangesTheMemoryOfThePeerWithoutACompletionThere(int length) {
		Connected connected = connect();
		for (int i = 0; i < length; i++) {
			connected.active().buffer.put(i, (byte) (i + 1));
		}
		assertThat(connected.active()
			.post(remote(connected.active(), connected.passive(), WorkRequestOpcode.RDMA_WRITE, length))).isZero();
		WorkCompletion written = connected.active().expect(CompletionStatus.SUCCESS, 1);
		assertThat(CompletionOpcode.of(written.opcode)).isEqualTo(CompletionOpcode.RDMA_WRITE);
		connected.passive().expectNoCompletion();
		for (int i = 0; i < length; i++) {
			assertThat(connected.passive().buffer.get(i)).isEqualTo((byte) (i + 1));
		}
	}

	@Test
	void writeWithImmediateTakesAReceive() {
		Connected connected = connect();
		connected.passive().postReceive(5, 0);
		connected.active().buffer.put(0, new byte[] { 'w' });
		SendWorkRequest request = remote(connected.active(), connected.passive(), WorkRequestOpcode.RDMA_WRITE_WITH_IMM,
				1);
		request.immediateData = IMMEDIATE;
		assertThat(connected.active().post(request)).isZero();
		connected.active().expect(CompletionStatus.SUCCESS, 1);
		WorkCompletion received = connected.passive().expect(CompletionStatus.SUCCESS, 5);
		assertThat(CompletionOpcode.of(received.opcode)).isEqualTo(CompletionOpcode.RECV_RDMA_WITH_IMM);
		assertThat(received.immediateData).isEqualTo(IMMEDIATE);
		assertThat(connected.passive().text(0, 1)).isEqualTo("w");
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 1000, 5000 })
	void readFetchesTheMemoryOfThePeer(int length) {
		Connected connected = connect();
		for (int i = 0; i < length; i++) {
			connected.passive().buffer.put(i, (byte) (i * 7));
		}
		assertThat(connected.active()
			.post(remote(connected.active(), connected.passive(), WorkRequestOpcode.RDMA_READ, length))).isZero();
		WorkCompletion read = connected.active().expect(CompletionStatus.SUCCESS, 1);
		assertThat(CompletionOpcode.of(read.opcode)).isEqualTo(CompletionOpcode.RDMA_READ);
		for (int i = 0; i < length; i++) {
			assertThat(connected.active().buffer.get(i)).isEqualTo((byte) (i * 7));
		}
		connected.passive().expectNoCompletion();
	}

	@ParameterizedTest
	@EnumSource(value = WorkRequestOpcode.class, names = { "RDMA_WRITE", "RDMA_READ" })
	void wrongKeyIsARemoteAccessError(WorkRequestOpcode opcode) {
		Connected connected = connect();
		SendWorkRequest request = remote(connected.active(), connected.passive(), opcode, 8);
		request.rkey = 0x7fff0001;
		assertThat(connected.active().post(request)).isZero();
		connected.active().expect(CompletionStatus.REM_ACCESS_ERR, 1);
		assertThat(connected.active().state()).isEqualTo(QueuePairState.ERR);
		assertThat(connected.passive().state()).isEqualTo(QueuePairState.ERR);
	}

	@ParameterizedTest
	@CsvSource({ "RDMA_WRITE, -1", "RDMA_WRITE, 16380", "RDMA_READ, -1", "RDMA_READ, 16380" })
	void accessBeyondTheMemoryRegionIsARemoteAccessError(WorkRequestOpcode opcode, int offset) {
		Connected connected = connect();
		SendWorkRequest request = remote(connected.active(), connected.passive(), opcode, 8);
		request.remoteAddress += offset;
		assertThat(connected.active().post(request)).isZero();
		connected.active().expect(CompletionStatus.REM_ACCESS_ERR, 1);
	}

	@ParameterizedTest
	@CsvSource({ "RDMA_WRITE, 5", "RDMA_READ, 3", "ATOMIC_FETCH_AND_ADD, 7" })
	void accessThatTheRegionDoesNotPermitIsARemoteAccessError(WorkRequestOpcode opcode, int access) {
		Connected connected = connect();
		Endpoint passive = connected.passive();
		MemoryRegionData limited = this.provider.ibvRegMr(passive.pd, passive.buffer, access);
		closeLater(() -> this.provider.ibvDeregMr(limited.mr()));
		SendWorkRequest request = remote(connected.active(), passive, opcode, 8);
		request.remoteAddress = limited.address();
		request.rkey = limited.rkey();
		assertThat(connected.active().post(request)).isZero();
		connected.active().expect(CompletionStatus.REM_ACCESS_ERR, 1);
	}

	@Test
	void deregisteredMemoryIsARemoteAccessError() {
		Connected connected = connect();
		Endpoint passive = connected.passive();
		MemoryRegionData gone = this.provider.ibvRegMr(passive.pd, passive.buffer, 15);
		this.provider.ibvDeregMr(gone.mr());
		SendWorkRequest request = remote(connected.active(), passive, WorkRequestOpcode.RDMA_WRITE, 8);
		request.remoteAddress = gone.address();
		request.rkey = gone.rkey();
		assertThat(connected.active().post(request)).isZero();
		connected.active().expect(CompletionStatus.REM_ACCESS_ERR, 1);
	}

	@Test
	void memoryOfAnotherProtectionDomainIsARemoteAccessError() {
		Connected connected = connect();
		SendWorkRequest request = remote(connected.active(), connected.active(), WorkRequestOpcode.RDMA_WRITE, 8);
		assertThat(connected.active().post(request)).isZero();
		connected.active().expect(CompletionStatus.REM_ACCESS_ERR, 1);
	}

	@ParameterizedTest
	@CsvSource({ "5, 5, 9, 9", "5, 6, 9, 5", "-1, -1, 0, 0" })
	void compareAndSwapReturnsTheOriginal(long value, long compare, long swap, long expected) {
		Connected connected = connect();
		setLong(connected.passive(), value);
		SendWorkRequest request = remote(connected.active(), connected.passive(), WorkRequestOpcode.ATOMIC_CMP_AND_SWP,
				8);
		request.compareAdd = compare;
		request.swap = swap;
		assertThat(connected.active().post(request)).isZero();
		WorkCompletion completion = connected.active().expect(CompletionStatus.SUCCESS, 1);
		assertThat(CompletionOpcode.of(completion.opcode)).isEqualTo(CompletionOpcode.COMP_SWAP);
		assertThat(getLong(connected.active())).isEqualTo(value);
		assertThat(getLong(connected.passive())).isEqualTo(expected);
	}

	@ParameterizedTest
	@CsvSource({ "0, 1, 1", "41, 1, 42", "5, -7, -2", "9223372036854775807, 1, -9223372036854775808" })
	void fetchAndAddReturnsTheOriginal(long value, long addend, long expected) {
		Connected connected = connect();
		setLong(connected.passive(), value);
		SendWorkRequest request = remote(connected.active(), connected.passive(),
				WorkRequestOpcode.ATOMIC_FETCH_AND_ADD, 8);
		request.compareAdd = addend;
		assertThat(connected.active().post(request)).isZero();
		connected.active().expect(CompletionStatus.SUCCESS, 1);
		assertThat(getLong(connected.active())).isEqualTo(value);
		assertThat(getLong(connected.passive())).isEqualTo(expected);
	}

	@Test
	void unalignedAtomicIsRefusedWhenPosted() {
		Connected connected = connect();
		SendWorkRequest request = remote(connected.active(), connected.passive(),
				WorkRequestOpcode.ATOMIC_FETCH_AND_ADD, 8);
		request.remoteAddress += 4;
		assertThat(connected.active().post(request)).isEqualTo(Errno.EINVAL.value());
	}

	@Test
	void readingNeedsTheInitiatorDepthOfOneSideOnly() {
		ConnectionParameters reply = new ConnectionParameters(NO_DATA, 0, 1, true, 7, 7, false, 0);
		Connected connected = connect(PARAMETERS, reply);
		SendWorkRequest request = remote(connected.passive(), connected.active(), WorkRequestOpcode.RDMA_READ, 8);
		assertThat(connected.passive().post(request)).isZero();
		connected.passive().expect(CompletionStatus.SUCCESS, 1);
	}

	private static void setLong(Endpoint endpoint, long value) {
		endpoint.buffer.order(ByteOrder.nativeOrder()).putLong(0, value);
	}

	private static long getLong(Endpoint endpoint) {
		return endpoint.buffer.order(ByteOrder.nativeOrder()).getLong(0);
	}

}
