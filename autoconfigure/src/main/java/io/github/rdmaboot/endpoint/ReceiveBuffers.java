package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.ToIntFunction;

import io.github.rdmaboot.provider.ReceiveWorkRequest;
import io.github.rdmaboot.verbs.MemoryBlock;

/**
 * Buffers that messages are received into, each with the request that posts it and the
 * view through which it is read, so that posting and reading allocate nothing. A buffer
 * is the device's from its post to its completion, and then its reader's.
 */
final class ReceiveBuffers {

	private final MemoryBlock memory;

	private final ToIntFunction<ReceiveWorkRequest> queue;

	private final ReceiveWorkRequest[] requests;

	private final ByteBuffer[] views;

	ReceiveBuffers(MemoryBlock memory, int bufferSize, int count, ToIntFunction<ReceiveWorkRequest> queue) {
		this.memory = memory;
		this.queue = queue;
		this.requests = new ReceiveWorkRequest[count];
		this.views = new ByteBuffer[count];
		ByteBuffer bytes = memory.memory().asReadOnlyBuffer();
		for (int slot = 0; slot < count; slot++) {
			ReceiveWorkRequest request = new ReceiveWorkRequest(1);
			request.wrId = slot;
			request.addresses[0] = memory.address() + (long) slot * bufferSize;
			request.lengths[0] = bufferSize;
			request.lkeys[0] = memory.lkey();
			request.sgeCount = 1;
			this.requests[slot] = request;
			this.views[slot] = bytes.slice(slot * bufferSize, bufferSize);
		}
	}

	int count() {
		return this.requests.length;
	}

	// Returns 0 or the errno of ibv_post_recv.
	int post(int slot) {
		return this.queue.applyAsInt(this.requests[slot]);
	}

	// The same object each time, for the reader of the buffer alone.
	ByteBuffer view(int slot, int length) {
		return this.views[slot].clear().limit(length).order(ByteOrder.BIG_ENDIAN);
	}

	void release() {
		this.memory.release();
	}

}
