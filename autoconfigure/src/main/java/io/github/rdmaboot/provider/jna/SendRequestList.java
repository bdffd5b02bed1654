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

	private static final int COMPARE_AND_SWAP = WorkRequestOpcode.ATOMIC_CMP_AND_SWP.value();

	private static final int FETCH_AND_ADD = WorkRequestOpcode.ATOMIC_FETCH_AND_ADD.value();

	private RequestSlots slots = RequestSlots.forSends();

	/**
	 * Write a list of requests, which count as posted from now on, unless {@link #refuse}
	 * is called.
	 * @param first the first request
	 * @return the address of the first one
	 */
	long write(SendWorkRequest first) {
		RequestSlots slots = this.slots;
		ByteBuffer memory = slots.memory();
		int offset = 0;
		// What most requests have is written here, and all else in methods of their own,
		// so that this stays small enough to be compiled as one loop.
		for (SendWorkRequest request = first; request != null; request = request.next) {
			int buffers = request.sgeCount;
			int opcode = request.opcode;
			if (slots.isFull(offset, buffers)) {
				grow(first);
				return write(first);
			}
			memory.putLong(offset + SendWorkRequestLayout.WR_ID, request.wrId);
			memory.putLong(offset + SendWorkRequestLayout.NUM_SGE, NativeOrder.pair(buffers, opcode));
			memory.putLong(offset + SendWorkRequestLayout.SEND_FLAGS,
					NativeOrder.pair(request.flags, NetworkOrder.convert(request.immediateData)));
			if (buffers == 1) {
				slots.putBuffer(offset, request.addresses[0], request.lengths[0], request.lkeys[0]);
			}
			else {
				slots.putBuffers(offset, request.addresses, request.lengths, request.lkeys, buffers);
			}
			if (opcode == COMPARE_AND_SWAP || opcode == FETCH_AND_ADD) {
				writeAtomic(request, memory, offset);
			}
			else if (request.ah != 0) {
				writeDatagram(request, memory, offset);
			}
			else {
				memory.putLong(offset + SendWorkRequestLayout.RDMA_REMOTE_ADDRESS, request.remoteAddress);
				memory.putInt(offset + SendWorkRequestLayout.RDMA_RKEY, request.rkey);
			}
			request.posted = true;
			offset += slots.slotSize();
		}
		slots.endAt(offset);
		return slots.address();
	}

	private static void writeAtomic(SendWorkRequest request, ByteBuffer memory, int offset) {
		memory.putLong(offset + SendWorkRequestLayout.ATOMIC_REMOTE_ADDRESS, request.remoteAddress);
		memory.putLong(offset + SendWorkRequestLayout.ATOMIC_COMPARE_ADD, request.compareAdd);
		memory.putLong(offset + SendWorkRequestLayout.ATOMIC_SWAP, request.swap);
		memory.putInt(offset + SendWorkRequestLayout.ATOMIC_RKEY, request.rkey);
	}

	private static void writeDatagram(SendWorkRequest request, ByteBuffer memory, int offset) {
		memory.putLong(offset + SendWorkRequestLayout.UD_AH, request.ah);
		memory.putLong(offset + SendWorkRequestLayout.UD_REMOTE_QP_NUM,
				NativeOrder.pair(request.remoteQpNum, request.remoteQkey));
	}

	private void grow(SendWorkRequest first) {
		int requests = 0;
		int buffers = 0;
		for (SendWorkRequest request = first; request != null; request = request.next) {
			requests++;
			buffers = Math.max(buffers, request.sgeCount);
		}
		this.slots = this.slots.grow(requests, buffers);
	}

	/**
	 * Note which requests were not posted. The others must not be touched: they may have
	 * completed, and be in use again, by now.
	 * @param first the first request
	 * @param bad the address of the first one that was not, as the driver told it; 0 when
	 * it told none, and so took none
	 */
	void refuse(SendWorkRequest first, long bad) {
		long current = this.slots.address();
		boolean posted = bad != 0;
		for (@Nullable
		SendWorkRequest request = first; request != null; request = request.next) {
			posted = posted && current != bad;
			if (!posted) {
				request.posted = false;
			}
			current += this.slots.slotSize();
		}
	}

}
