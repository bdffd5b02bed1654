package io.github.rdmaboot.provider.jna;

import io.github.rdmaboot.provider.ReceiveWorkRequest;
import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.provider.WorkRequestOpcode;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WorkRequestListTests {

	private final SendRequestList sends = new SendRequestList();

	private final ReceiveRequestList receives = new ReceiveRequestList();

	@Test
	void aChainIsWrittenWithItsBuffers() {
		SendWorkRequest first = send(1, 2);
		SendWorkRequest second = send(2, 1);
		first.next = second;
		long address = this.sends.write(first);
		long next = RawMemory.getLong(address + SendWorkRequestLayout.NEXT);
		assertThat(RawMemory.getLong(next + SendWorkRequestLayout.NEXT)).isZero();
		assertThat(RawMemory.getLong(next + SendWorkRequestLayout.WR_ID)).isEqualTo(2);
		assertThat(RawMemory.getInt(address + SendWorkRequestLayout.NUM_SGE)).isEqualTo(2);
		long buffers = RawMemory.getLong(address + SendWorkRequestLayout.SG_LIST);
		assertThat(RawMemory.getLong(buffers + ScatterGatherLayout.ADDRESS)).isEqualTo(0x1000);
		long secondBuffer = buffers + ScatterGatherLayout.SIZE;
		assertThat(RawMemory.getLong(secondBuffer + ScatterGatherLayout.ADDRESS)).isEqualTo(0x1001);
		assertThat(RawMemory.getInt(secondBuffer + ScatterGatherLayout.LENGTH)).isEqualTo(11);
		assertThat(RawMemory.getInt(secondBuffer + ScatterGatherLayout.LKEY)).isEqualTo(21);
		long buffersOfSecond = RawMemory.getLong(next + SendWorkRequestLayout.SG_LIST);
		assertThat(RawMemory.getLong(buffersOfSecond + ScatterGatherLayout.ADDRESS)).isEqualTo(0x1000);
	}

	@Test
	void immediateDataIsInNetworkOrder() {
		SendWorkRequest request = send(1, 1);
		request.opcode = WorkRequestOpcode.SEND_WITH_IMM.value();
		request.immediateData = 0x01020304;
		long address = this.sends.write(request);
		assertThat(RawMemory.getBytes(address + SendWorkRequestLayout.IMM_DATA, 4)).containsExactly(1, 2, 3, 4);
	}

	@Test
	void eachKindOfOperationHasItsOwnFields() {
		SendWorkRequest request = send(1, 1);
		request.remoteAddress = 0x77;
		request.rkey = 5;
		request.compareAdd = 6;
		request.swap = 7;
		request.opcode = WorkRequestOpcode.RDMA_READ.value();
		long address = this.sends.write(request);
		assertThat(RawMemory.getInt(address + SendWorkRequestLayout.RDMA_RKEY)).isEqualTo(5);
		request.opcode = WorkRequestOpcode.ATOMIC_CMP_AND_SWP.value();
		this.sends.write(request);
		assertThat(RawMemory.getLong(address + SendWorkRequestLayout.ATOMIC_REMOTE_ADDRESS)).isEqualTo(0x77);
		assertThat(RawMemory.getLong(address + SendWorkRequestLayout.ATOMIC_COMPARE_ADD)).isEqualTo(6);
		assertThat(RawMemory.getLong(address + SendWorkRequestLayout.ATOMIC_SWAP)).isEqualTo(7);
		assertThat(RawMemory.getInt(address + SendWorkRequestLayout.ATOMIC_RKEY)).isEqualTo(5);
		request.opcode = WorkRequestOpcode.SEND.value();
		request.ah = 8;
		request.remoteQpNum = 9;
		request.remoteQkey = 10;
		this.sends.write(request);
		assertThat(RawMemory.getLong(address + SendWorkRequestLayout.UD_AH)).isEqualTo(8);
		assertThat(RawMemory.getInt(address + SendWorkRequestLayout.UD_REMOTE_QP_NUM)).isEqualTo(9);
		assertThat(RawMemory.getInt(address + SendWorkRequestLayout.UD_REMOTE_QKEY)).isEqualTo(10);
	}

	@Test
	void theFirstBadRequestTellsWhichWerePosted() {
		SendWorkRequest first = send(1, 1);
		SendWorkRequest second = send(2, 1);
		SendWorkRequest third = send(3, 1);
		first.next = second;
		second.next = third;
		long address = this.sends.write(first);
		assertThat(posted(first)).as("refused by nobody").containsExactly(true, true, true);
		this.sends.refuse(first, RawMemory.getLong(address + SendWorkRequestLayout.NEXT));
		assertThat(posted(first)).containsExactly(true, false, false);
		this.sends.write(first);
		this.sends.refuse(first, address);
		assertThat(posted(first)).containsExactly(false, false, false);
		this.sends.write(first);
		this.sends.refuse(first, 0);
		assertThat(posted(first)).containsExactly(false, false, false);
	}

	private static boolean[] posted(SendWorkRequest first) {
		return new boolean[] { first.posted, first.next.posted, first.next.next.posted };
	}

	@Test
	void aListEndsWhereItEndsAfterLongerAndShorterOnes() {
		SendWorkRequest first = send(1, 1);
		first.next = send(2, 1);
		first.next.next = send(3, 1);
		assertThat(length(this.sends.write(first))).isEqualTo(3);
		assertThat(length(this.sends.write(first.next.next))).isEqualTo(1);
		assertThat(length(this.sends.write(first.next))).isEqualTo(2);
		assertThat(length(this.sends.write(first))).isEqualTo(3);
	}

	private static int length(long first) {
		int length = 0;
		for (long at = first; at != 0; at = RawMemory.getLong(at + SendWorkRequestLayout.NEXT)) {
			length++;
		}
		return length;
	}

	@Test
	void aRequestMayHaveAnyNumberOfBuffers() {
		SendWorkRequest first = send(1, 1);
		first.next = send(2, 30);
		long second = RawMemory.getLong(this.sends.write(first) + SendWorkRequestLayout.NEXT);
		assertThat(RawMemory.getInt(second + SendWorkRequestLayout.NUM_SGE)).isEqualTo(30);
		long buffers = RawMemory.getLong(second + SendWorkRequestLayout.SG_LIST);
		for (int i = 0; i < 30; i++) {
			assertThat(RawMemory.getLong(buffers + i * ScatterGatherLayout.SIZE)).isEqualTo(0x1000 + i);
		}
	}

	@Test
	void listsGrowToAnyLength() {
		SendWorkRequest send = send(0, 2);
		ReceiveWorkRequest receive = receive(0);
		SendWorkRequest lastSend = send;
		ReceiveWorkRequest lastReceive = receive;
		for (int i = 1; i < 1000; i++) {
			lastSend.next = send(i, 2);
			lastSend = lastSend.next;
			lastReceive.next = receive(i);
			lastReceive = lastReceive.next;
		}
		long sent = this.sends.write(send);
		long received = this.receives.write(receive);
		for (int i = 0; i < 1000; i++) {
			assertThat(RawMemory.getLong(sent + SendWorkRequestLayout.WR_ID)).isEqualTo(i);
			sent = RawMemory.getLong(sent + SendWorkRequestLayout.NEXT);
			assertThat(RawMemory.getLong(received + ReceiveWorkRequestLayout.WR_ID)).isEqualTo(i);
			long buffers = RawMemory.getLong(received + ReceiveWorkRequestLayout.SG_LIST);
			assertThat(RawMemory.getLong(buffers + ScatterGatherLayout.ADDRESS)).isEqualTo(i);
			received = RawMemory.getLong(received + ReceiveWorkRequestLayout.NEXT);
		}
		assertThat(sent).isZero();
		assertThat(received).isZero();
	}

	private static SendWorkRequest send(long wrId, int sges) {
		SendWorkRequest request = new SendWorkRequest(sges);
		request.wrId = wrId;
		request.sgeCount = sges;
		for (int i = 0; i < sges; i++) {
			request.addresses[i] = 0x1000 + i;
			request.lengths[i] = 10 + i;
			request.lkeys[i] = 20 + i;
		}
		return request;
	}

	private static ReceiveWorkRequest receive(long wrId) {
		ReceiveWorkRequest request = new ReceiveWorkRequest(1);
		request.wrId = wrId;
		request.addresses[0] = wrId;
		request.sgeCount = 1;
		return request;
	}

}
