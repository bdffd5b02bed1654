package io.github.rdmaboot.provider.jna;

import java.nio.ByteBuffer;

import io.github.rdmaboot.provider.ReceiveWorkRequest;
import org.jspecify.annotations.Nullable;

/**
 * A list of {@code struct ibv_recv_wr} in native memory that is used again. Belongs to
 * one thread.
 */
final class ReceiveRequestList {

	private RequestSlots slots = RequestSlots.forReceives();

	/**
	 * Write a list of requests, which count as posted from now on, unless {@link #refuse}
	 * is called.
	 * @param first the first request
	 * @return the address of the first one
	 */
	long write(ReceiveWorkRequest first) {
		RequestSlots slots = this.slots;
		ByteBuffer memory = slots.memory();
		int offset = 0;
		for (ReceiveWorkRequest request = first; request != null; request = request.next) {
			int buffers = request.sgeCount;
			if (slots.isFull(offset, buffers)) {
				grow(first);
				return write(first);
			}
			memory.putLong(offset + ReceiveWorkRequestLayout.WR_ID, request.wrId);
			memory.putInt(offset + ReceiveWorkRequestLayout.NUM_SGE, buffers);
			if (buffers == 1) {
				slots.putBuffer(offset, request.addresses[0], request.lengths[0], request.lkeys[0]);
			}
			else {
				slots.putBuffers(offset, request.addresses, request.lengths, request.lkeys, buffers);
			}
			request.posted = true;
			offset += slots.slotSize();
		}
		slots.endAt(offset);
		return slots.address();
	}

	private void grow(ReceiveWorkRequest first) {
		int requests = 0;
		int buffers = 0;
		for (ReceiveWorkRequest request = first; request != null; request = request.next) {
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
	void refuse(ReceiveWorkRequest first, long bad) {
		long current = this.slots.address();
		boolean posted = bad != 0;
		for (@Nullable
		ReceiveWorkRequest request = first; request != null; request = request.next) {
			posted = posted && current != bad;
			if (!posted) {
				request.posted = false;
			}
			current += this.slots.slotSize();
		}
	}

}
