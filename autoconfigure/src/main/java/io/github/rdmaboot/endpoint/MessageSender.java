package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.SendFlag;
import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.provider.WorkRequestOpcode;
import io.github.rdmaboot.verbs.MemoryBlock;
import io.github.rdmaboot.verbs.QueuePair;
import org.jspecify.annotations.Nullable;

/**
 * Sending half of a connection: buffers, posts and their completions. A buffer belongs to
 * one thread from when it is taken until its send is posted, and to the device until the
 * send completes; whoever takes its callback out of the array has the duty to call it.
 */
final class MessageSender {

	/** Distinguishes the completions of sends from those of receives. */
	static final long WR_ID_SENDS = 1L << 32;

	private static final Duration FREE_BUFFER_TIMEOUT = Duration.ofSeconds(10);

	private final ByteBuffer memory;

	private final QueuePair queuePair;

	private final OutstandingRequests outstanding;

	private final EndpointStatistics statistics;

	private final Executor executor;

	private final int bufferSize;

	private final SlotPool slots;

	private final SendWorkRequest[] requests;

	private final AtomicReferenceArray<SendCallback> callbacks;

	MessageSender(MemoryBlock memory, int bufferSize, int count, QueuePair queuePair, OutstandingRequests outstanding,
			EndpointStatistics statistics, Executor executor) {
		this.memory = memory.memory();
		this.bufferSize = bufferSize;
		this.queuePair = queuePair;
		this.outstanding = outstanding;
		this.statistics = statistics;
		this.executor = executor;
		this.slots = new SlotPool(count);
		this.callbacks = new AtomicReferenceArray<>(count);
		this.requests = new SendWorkRequest[count];
		for (int slot = 0; slot < count; slot++) {
			SendWorkRequest request = new SendWorkRequest(1);
			request.wrId = WR_ID_SENDS | slot;
			request.opcode = WorkRequestOpcode.SEND.value();
			request.flags = SendFlag.SIGNALED.value();
			request.addresses[0] = memory.address() + (long) slot * bufferSize;
			request.lkeys[0] = memory.lkey();
			this.requests[slot] = request;
		}
	}

	void send(ByteBuffer message, SendCallback callback, String connection) {
		int length = message.remaining();
		if (length > this.bufferSize) {
			throw new IllegalArgumentException("Message of " + length + " bytes does not fit into a buffer of "
					+ this.bufferSize + " bytes of " + connection + "; raise memory.buffer-size on both sides");
		}
		int slot = this.slots.take(FREE_BUFFER_TIMEOUT);
		if (slot == SlotPool.CLOSED) {
			throw new ConnectionClosedException(connection + " is closed", null);
		}
		if (slot == SlotPool.INTERRUPTED) {
			throw new RdmaException("ibv_post_send", Errno.EINTR.value(),
					"The wait for a send buffer of " + connection + " was interrupted (EINTR)");
		}
		if (slot == SlotPool.TIMED_OUT) {
			throw new RdmaException("ibv_post_send", Errno.ETIMEDOUT.value(),
					"No send buffer of " + connection + " became free within " + FREE_BUFFER_TIMEOUT.toSeconds()
							+ " s (ETIMEDOUT)" + ": the peer takes no messages, or memory.buffer-count is too low");
		}
		int errno = fillAndPost(slot, message, callback);
		if (errno != 0) {
			this.outstanding.completed();
			// Null when closing the connection has told the caller already.
			boolean untold = this.callbacks.getAndSet(slot, null) != null;
			this.slots.giveBack(slot);
			if (untold) {
				throw (errno == Errno.ENOTCONN.value()) ? new ConnectionClosedException(connection + " is closed", null)
						: new RdmaException("ibv_post_send", errno);
			}
		}
	}

	// The gate stays open meanwhile, for the memory is lent to others once it is closed.
	private int fillAndPost(int slot, ByteBuffer message, SendCallback callback) {
		this.callbacks.set(slot, callback);
		this.outstanding.posted();
		if (!this.queuePair.enter()) {
			return Errno.ENOTCONN.value();
		}
		try {
			SendWorkRequest request = this.requests[slot];
			request.lengths[0] = message.remaining();
			request.sgeCount = message.hasRemaining() ? 1 : 0;
			this.memory.duplicate().position(slot * this.bufferSize).put(message);
			return this.queuePair.postSend(request);
		}
		finally {
			this.queuePair.leave();
		}
	}

	// Take the completion of a send.
	void completed(int slot, @Nullable RuntimeException error) {
		this.outstanding.completed();
		if (error == null) {
			this.statistics.sent(this.requests[slot].lengths[0]);
		}
		SendCallback callback = this.callbacks.getAndSet(slot, null);
		this.slots.giveBack(slot);
		if (callback != null) {
			this.executor.execute(() -> callback.sent(error));
		}
	}

	/**
	 * Let nobody wait for a buffer any more.
	 */
	void close() {
		this.slots.close();
	}

	// Tell the senders whose completion never came.
	void failPending(RuntimeException error) {
		for (int slot = 0; slot < this.callbacks.length(); slot++) {
			SendCallback callback = this.callbacks.getAndSet(slot, null);
			if (callback != null) {
				this.executor.execute(() -> callback.sent(error));
			}
		}
	}

}
