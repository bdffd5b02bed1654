package io.github.rdmaboot.provider.jna;

import java.nio.ByteBuffer;

import io.github.rdmaboot.provider.ReceiveWorkRequest;
import org.jspecify.annotations.Nullable;

/**
 * A list of {@code struct ibv_recv_wr} in native memory that is used again. Belongs to
 * one thread.
 */
final class ReceiveRequestList {

	private static final int INITIAL_CAPACITY = 32;

	private final ScatterGatherArray buffers = new ScatterGatherArray();

	private ByteBuffer memory = CallBlock.allocate(INITIAL_CAPACITY * ReceiveWorkRequestLayout.SIZE);

	private long address = CallBlock.addressOf(this.memory);

	/**
	 * Write a list of requests.
	 * @param first the first request
	 * @return the address of the first one
	 */
	long write(ReceiveWorkRequest first) {
		reserve(first);
		ByteBuffer memory = this.memory;
		int offset = 0;
		for (ReceiveWorkRequest request = first; request != null; request = request.next) {
			request.posted = true;
			int following = offset + ReceiveWorkRequestLayout.SIZE;
			memory.putLong(offset + ReceiveWorkRequestLayout.WR_ID, request.wrId);
			memory.putLong(offset + ReceiveWorkRequestLayout.NEXT,
					(request.next != null) ? this.address + following : 0);
			memory.putLong(offset + ReceiveWorkRequestLayout.SG_LIST,
					this.buffers.add(request.addresses, request.lengths, request.lkeys, request.sgeCount));
			memory.putInt(offset + ReceiveWorkRequestLayout.NUM_SGE, request.sgeCount);
			offset = following;
		}
		return this.address;
	}

	private void reserve(ReceiveWorkRequest first) {
		int requests = 0;
		int sges = 0;
		for (ReceiveWorkRequest request = first; request != null; request = request.next) {
			requests++;
			sges += request.sgeCount;
		}
		this.buffers.reset(sges);
		int size = Math.multiplyExact(requests, ReceiveWorkRequestLayout.SIZE);
		if (size > this.memory.capacity()) {
			this.memory = CallBlock.allocate(Math.max(size, 2 * this.memory.capacity()));
			this.address = CallBlock.addressOf(this.memory);
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
	void markPosted(ReceiveWorkRequest first, long bad, int result) {
		if (result == 0) {
			return;
		}
		long current = this.address;
		boolean posted = bad != 0;
		for (@Nullable
		ReceiveWorkRequest request = first; request != null; request = request.next) {
			posted = posted && current != bad;
			if (!posted) {
				request.posted = false;
			}
			current += ReceiveWorkRequestLayout.SIZE;
		}
	}

}
