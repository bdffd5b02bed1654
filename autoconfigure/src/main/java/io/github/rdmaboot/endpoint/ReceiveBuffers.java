package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.ToIntFunction;

import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.ReceiveWorkRequest;
import io.github.rdmaboot.verbs.MemoryBlock;

/**
 * Buffers that messages are received into, each with the request that posts it and the
 * view through which it is read, so that posting and reading allocate nothing. A buffer
 * is the device's from its post to its completion, and then its reader's. Connections
 * that share a receive queue share its buffers.
 */
final class ReceiveBuffers {

	private final ToIntFunction<ReceiveWorkRequest> queue;

	private final OutstandingRequests outstanding;

	private final boolean shared;

	private final ReceiveWorkRequest[] requests;

	private final ByteBuffer[] views;

	private final ByteBuffer bytes;

	private final int distance;

	private final ReceiveRecords records;

	// A buffer has room for a message and, where that is in front of it, its header.
	ReceiveBuffers(MemoryBlock memory, int bufferSize, HeaderForm headers, int count,
			ToIntFunction<ReceiveWorkRequest> queue, OutstandingRequests outstanding, boolean shared) {
		this.queue = queue;
		this.outstanding = outstanding;
		this.shared = shared;
		this.requests = new ReceiveWorkRequest[count];
		this.views = new ByteBuffer[count];
		this.records = new ReceiveRecords(count);
		this.bytes = memory.memory().asReadOnlyBuffer();
		this.distance = distance(bufferSize, headers);
		for (int slot = 0; slot < count; slot++) {
			ReceiveWorkRequest request = new ReceiveWorkRequest(1);
			request.wrId = slot;
			request.addresses[0] = memory.address() + (long) slot * this.distance;
			request.lengths[0] = this.distance;
			request.lkeys[0] = memory.lkey();
			request.sgeCount = 1;
			this.requests[slot] = request;
			this.views[slot] = this.bytes.slice(slot * this.distance + headers.length(), bufferSize);
		}
	}

	// How much memory so many buffers take.
	static int size(int bufferSize, HeaderForm headers, int count) {
		return count * distance(bufferSize, headers);
	}

	private static int distance(int bufferSize, HeaderForm headers) {
		return bufferSize + headers.length();
	}

	// Whether what was received begins with a header.
	boolean hasHeader(int slot, int length) {
		return MessageHeader.isThere(this.bytes, slot * this.distance, length);
	}

	// The header with which what was received begins.
	int header(int slot) {
		return MessageHeader.read(this.bytes, slot * this.distance);
	}

	ReceiveRecords records() {
		return this.records;
	}

	boolean isShared() {
		return this.shared;
	}

	int count() {
		return this.requests.length;
	}

	// Returns 0 or the errno of ibv_post_recv.
	int post(int slot) {
		this.outstanding.posted();
		int errno = this.queue.applyAsInt(this.requests[slot]);
		if (errno != 0) {
			this.outstanding.completed();
		}
		return errno;
	}

	/**
	 * Post all buffers; before connecting or accepting, so that no message finds none.
	 */
	void postAll() {
		for (int slot = 0; slot < this.requests.length; slot++) {
			int errno = post(slot);
			if (errno != 0) {
				throw new RdmaException("ibv_post_recv", errno);
			}
		}
	}

	// Take the completion of a post.
	void completed() {
		this.outstanding.completed();
	}

	// Take the completion of a post that brought nothing, because it failed or the
	// connection ends. Other connections need the buffer if it is shared.
	int failed(int slot) {
		this.outstanding.completed();
		return this.shared ? post(slot) : 0;
	}

	// The same object each time, for the reader of the buffer alone.
	ByteBuffer view(int slot, int length) {
		return this.views[slot].clear().limit(length).order(ByteOrder.BIG_ENDIAN);
	}

}
