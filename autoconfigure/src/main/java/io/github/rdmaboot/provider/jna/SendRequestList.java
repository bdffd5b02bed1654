package io.github.rdmaboot.provider.jna;

import java.nio.ByteBuffer;

import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.provider.WorkRequestOpcode;
import org.jspecify.annotations.Nullable;

/**
 * A list of {@code struct ibv_send_wr} in native memory that is used again. Belongs to
 * one thread.
 */
final class SendRequestList {

	private static final int INITIAL_CAPACITY = 32;

	private static final int COMPARE_AND_SWAP = WorkRequestOpcode.ATOMIC_CMP_AND_SWP.value();

	private static final int FETCH_AND_ADD = WorkRequestOpcode.ATOMIC_FETCH_AND_ADD.value();

	private final ScatterGatherArray buffers = new ScatterGatherArray();

	private ByteBuffer memory = CallBlock.allocate(INITIAL_CAPACITY * SendWorkRequestLayout.SIZE);

	private long address = CallBlock.addressOf(this.memory);

	/**
	 * Write a list of requests.
	 * @param first the first request
	 * @return the address of the first one
	 */
	long write(SendWorkRequest first) {
		reserve(first);
		int offset = 0;
		for (SendWorkRequest request = first; request != null; request = request.next) {
			write(request, offset);
			offset += SendWorkRequestLayout.SIZE;
		}
		return this.address;
	}

	private void reserve(SendWorkRequest first) {
		int requests = 0;
		int sges = 0;
		for (SendWorkRequest request = first; request != null; request = request.next) {
			requests++;
			sges += request.sgeCount;
		}
		this.buffers.reset(sges);
		int size = Math.multiplyExact(requests, SendWorkRequestLayout.SIZE);
		if (size > this.memory.capacity()) {
			this.memory = CallBlock.allocate(Math.max(size, 2 * this.memory.capacity()));
			this.address = CallBlock.addressOf(this.memory);
		}
	}

	private void write(SendWorkRequest request, int offset) {
		request.posted = true;
		ByteBuffer memory = this.memory;
		memory.putLong(offset + SendWorkRequestLayout.WR_ID, request.wrId);
		memory.putLong(offset + SendWorkRequestLayout.NEXT,
				(request.next != null) ? this.address + offset + SendWorkRequestLayout.SIZE : 0);
		memory.putLong(offset + SendWorkRequestLayout.SG_LIST,
				this.buffers.add(request.addresses, request.lengths, request.lkeys, request.sgeCount));
		memory.putInt(offset + SendWorkRequestLayout.NUM_SGE, request.sgeCount);
		memory.putInt(offset + SendWorkRequestLayout.OPCODE, request.opcode);
		memory.putInt(offset + SendWorkRequestLayout.SEND_FLAGS, request.flags);
		memory.putInt(offset + SendWorkRequestLayout.IMM_DATA, NetworkOrder.convert(request.immediateData));
		if (request.opcode == COMPARE_AND_SWAP || request.opcode == FETCH_AND_ADD) {
			memory.putLong(offset + SendWorkRequestLayout.ATOMIC_REMOTE_ADDRESS, request.remoteAddress);
			memory.putLong(offset + SendWorkRequestLayout.ATOMIC_COMPARE_ADD, request.compareAdd);
			memory.putLong(offset + SendWorkRequestLayout.ATOMIC_SWAP, request.swap);
			memory.putInt(offset + SendWorkRequestLayout.ATOMIC_RKEY, request.rkey);
		}
		else if (request.ah != 0) {
			memory.putLong(offset + SendWorkRequestLayout.UD_AH, request.ah);
			memory.putInt(offset + SendWorkRequestLayout.UD_REMOTE_QP_NUM, request.remoteQpNum);
			memory.putInt(offset + SendWorkRequestLayout.UD_REMOTE_QKEY, request.remoteQkey);
		}
		else {
			memory.putLong(offset + SendWorkRequestLayout.RDMA_REMOTE_ADDRESS, request.remoteAddress);
			memory.putInt(offset + SendWorkRequestLayout.RDMA_RKEY, request.rkey);
		}
	}

	/**
	 * Note which requests were not posted. They count as posted from when they were
	 * written: one that was posted may have completed, and be in use again, by now.
	 * @param first the first request
	 * @param bad the address of the first one that was not, as the driver told it; 0 when
	 * it told none
	 * @param result what the post returned
	 */
	void markPosted(SendWorkRequest first, long bad, int result) {
		if (result == 0) {
			return;
		}
		long current = this.address;
		boolean posted = bad != 0;
		for (@Nullable
		SendWorkRequest request = first; request != null; request = request.next) {
			posted = posted && current != bad;
			if (!posted) {
				request.posted = false;
			}
			current += SendWorkRequestLayout.SIZE;
		}
	}

}
