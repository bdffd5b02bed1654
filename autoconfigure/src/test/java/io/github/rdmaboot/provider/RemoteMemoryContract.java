package io.github.rdmaboot.provider;

import java.nio.ByteOrder;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Reads and writes of remote memory and atomics over a reliable connection, and their
 * errors.
 */
abstract class RemoteMemoryContract extends RdmaProviderContract {

	private static final int IMMEDIATE = 0x12345678;

	RemoteMemoryContract(ContractTransport transport) {
		super(transport);
	}

	private static SendWorkRequest remote(Endpoint from, Endpoint to, WorkRequestOpcode opcode, int length) {
		SendWorkRequest request = from.request(opcode, 1, length);
		request.remoteAddress = to.memory.address();
		request.rkey = to.memory.rkey();
		return request;
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
	@Needs(TransportRules.Capability.IMMEDIATE_DATA)
	void writeWithImmediateTakesAReceive() {
		Connected connected = connect();
		connected.passive().postReceive(5, 0);
		connected.active().buffer.put(0, new byte[] { 'w' });
		SendWorkRequest request = remote(connected.active(), connected.passive(), WorkRequestOpcode.RDMA_WRITE_WITH_IMM,
				1);
		request.immediateData = IMMEDIATE;
		connected.active().postTaken(request);
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
		expectAccessError(connected, opcode);
		assertState(connected.active(), QueuePairState.ERR);
		assertState(connected.passive(), QueuePairState.ERR);
	}

	@ParameterizedTest
	@CsvSource({ "RDMA_WRITE, -1", "RDMA_WRITE, 16380", "RDMA_READ, -1", "RDMA_READ, 16380" })
	void accessBeyondTheMemoryRegionIsARemoteAccessError(WorkRequestOpcode opcode, int offset) {
		Connected connected = connect();
		SendWorkRequest request = remote(connected.active(), connected.passive(), opcode, 8);
		request.remoteAddress += offset;
		assertThat(connected.active().post(request)).isZero();
		expectAccessError(connected, opcode);
	}

	@ParameterizedTest
	@CsvSource({ "RDMA_WRITE, 5", "RDMA_READ, 3" })
	void accessThatTheRegionDoesNotPermitIsARemoteAccessError(WorkRequestOpcode opcode, int access) {
		Connected connected = connect();
		connected.active().postTaken(toRegion(connected, opcode, access));
		if (opcode == WorkRequestOpcode.RDMA_READ && !rules().regionsRestrictReads()) {
			connected.active().expect(CompletionStatus.SUCCESS, 1);
			return;
		}
		expectAccessError(connected, opcode);
	}

	@Test
	@Needs(TransportRules.Capability.ATOMICS)
	void atomicThatTheRegionDoesNotPermitIsARemoteAccessError() {
		Connected connected = connect();
		connected.active().postTaken(toRegion(connected, WorkRequestOpcode.ATOMIC_FETCH_AND_ADD, 7));
		expectAccessError(connected, WorkRequestOpcode.ATOMIC_FETCH_AND_ADD);
	}

	private SendWorkRequest toRegion(Connected connected, WorkRequestOpcode opcode, int access) {
		Endpoint passive = connected.passive();
		MemoryRegionData limited = this.provider.ibvRegMr(passive.pd, passive.buffer, access);
		closeLater(() -> this.provider.ibvDeregMr(limited.mr()));
		SendWorkRequest request = remote(connected.active(), passive, opcode, 8);
		request.remoteAddress = limited.address();
		request.rkey = limited.rkey();
		return request;
	}

	private void expectAccessError(Connected connected, WorkRequestOpcode opcode) {
		if (rules().senderHearsOfFailures() || opcode != WorkRequestOpcode.RDMA_READ) {
			expectFailure(connected, CompletionStatus.REM_ACCESS_ERR, 1);
		}
		else {
			// A read that gets no answer is outstanding when the connection ends.
			connected.active().expect(CompletionStatus.WR_FLUSH_ERR, 1);
			assertEnded();
		}
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
		expectAccessError(connected, WorkRequestOpcode.RDMA_WRITE);
	}

	@Test
	void memoryOfAnotherProtectionDomainIsARemoteAccessError() {
		Connected connected = connect();
		SendWorkRequest request = remote(connected.active(), connected.active(), WorkRequestOpcode.RDMA_WRITE, 8);
		assertThat(connected.active().post(request)).isZero();
		expectAccessError(connected, WorkRequestOpcode.RDMA_WRITE);
	}

	@ParameterizedTest
	@Needs(TransportRules.Capability.ATOMICS)
	@CsvSource({ "5, 5, 9, 9", "5, 6, 9, 5", "-1, -1, 0, 0" })
	void compareAndSwapReturnsTheOriginal(long value, long compare, long swap, long expected) {
		Connected connected = connect();
		setLong(connected.passive(), value);
		SendWorkRequest request = remote(connected.active(), connected.passive(), WorkRequestOpcode.ATOMIC_CMP_AND_SWP,
				8);
		request.compareAdd = compare;
		request.swap = swap;
		connected.active().postTaken(request);
		WorkCompletion completion = connected.active().expect(CompletionStatus.SUCCESS, 1);
		assertThat(CompletionOpcode.of(completion.opcode)).isEqualTo(CompletionOpcode.COMP_SWAP);
		assertThat(getLong(connected.active())).isEqualTo(value);
		assertThat(getLong(connected.passive())).isEqualTo(expected);
	}

	@ParameterizedTest
	@Needs(TransportRules.Capability.ATOMICS)
	@CsvSource({ "0, 1, 1", "41, 1, 42", "5, -7, -2", "9223372036854775807, 1, -9223372036854775808" })
	void fetchAndAddReturnsTheOriginal(long value, long addend, long expected) {
		Connected connected = connect();
		setLong(connected.passive(), value);
		SendWorkRequest request = remote(connected.active(), connected.passive(),
				WorkRequestOpcode.ATOMIC_FETCH_AND_ADD, 8);
		request.compareAdd = addend;
		connected.active().postTaken(request);
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
