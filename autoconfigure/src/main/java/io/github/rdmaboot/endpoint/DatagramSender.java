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
import io.github.rdmaboot.verbs.AddressHandle;
import io.github.rdmaboot.verbs.CompletionThread;
import io.github.rdmaboot.verbs.MemoryBlock;
import io.github.rdmaboot.verbs.QueuePair;
import org.jspecify.annotations.Nullable;

/**
 * Sending half of a datagram endpoint. A buffer belongs to one thread from when it is
 * taken until its datagram is posted, and to the device until the send completes; whoever
 * takes its callback out of the array has the duty to call it.
 */
final class DatagramSender {

	/** Distinguishes the completions of sends from those of receives. */
	static final long WR_ID_SENDS = 1L << 32;

	private static final Duration FREE_BUFFER_TIMEOUT = Duration.ofSeconds(10);

	private final ByteBuffer bytes;

	private final int firstOffset;

	private final int slotSize;

	private final int maxLength;

	private final QueuePair queuePair;

	private final AddressHandles addressHandles;

	private final OutstandingRequests outstanding;

	private final EndpointStatistics statistics;

	private final Executor executor;

	private final SlotPool slots;

	private final SendWorkRequest[] requests;

	// Written before the callback of the same slot is set and read after it was taken.
	private final @Nullable AddressHandle[] handles;

	private final AtomicReferenceArray<SendCallback> callbacks;

	DatagramSender(MemoryBlock memory, DatagramSlots layout, int firstSlot, QueuePair queuePair,
			AddressHandles addressHandles, OutstandingRequests outstanding, EndpointStatistics statistics,
			Executor executor) {
		this.bytes = memory.memory();
		this.firstOffset = firstSlot * layout.size();
		this.slotSize = layout.size();
		this.maxLength = layout.mtu();
		this.queuePair = queuePair;
		this.addressHandles = addressHandles;
		this.outstanding = outstanding;
		this.statistics = statistics;
		this.executor = executor;
		this.slots = new SlotPool(layout.count());
		this.callbacks = new AtomicReferenceArray<>(layout.count());
		this.handles = new AddressHandle[layout.count()];
		this.requests = new SendWorkRequest[layout.count()];
		for (int slot = 0; slot < layout.count(); slot++) {
			SendWorkRequest request = new SendWorkRequest(1);
			request.wrId = WR_ID_SENDS | slot;
			request.flags = SendFlag.SIGNALED.value();
			request.addresses[0] = memory.address() + offset(slot);
			request.lkeys[0] = memory.lkey();
			this.requests[slot] = request;
		}
	}

	// Send a datagram with immediate data, or without: then the opcode is SEND.
	void send(DatagramPeer peer, ByteBuffer message, WorkRequestOpcode opcode, int immediate, SendCallback callback) {
		int length = message.remaining();
		if (length > this.maxLength) {
			throw new IllegalArgumentException("Datagram of " + length + " bytes to " + peer + " does not fit into "
					+ this.maxLength + " bytes, the path MTU of " + describe(peer)
					+ ": send it in parts, or raise the MTU of the network device on both sides");
		}
		int slot = takeSlot(peer);
		AddressHandle handle;
		try {
			handle = this.addressHandles.retain(peer.path());
		}
		catch (RuntimeException | Error ex) {
			this.slots.giveBack(slot);
			throw ex;
		}
		// The gate stays open meanwhile, for the memory is lent to others once it is
		// closed.
		if (!this.queuePair.enter()) {
			giveBack(slot, handle);
			throw closed(peer);
		}
		int position = message.position();
		boolean posted = false;
		try {
			this.bytes.put(offset(slot), message, position, length);
			message.position(message.limit());
			SendWorkRequest request = this.requests[slot];
			request.opcode = opcode.value();
			request.immediateData = immediate;
			request.lengths[0] = length;
			request.sgeCount = (length > 0) ? 1 : 0;
			request.ah = handle.handle();
			request.remoteQpNum = peer.qpNum();
			request.remoteQkey = peer.qkey();
			post(peer, slot, handle, callback);
			posted = true;
		}
		finally {
			this.queuePair.leave();
			if (!posted) {
				message.position(position);
			}
		}
	}

	private void post(DatagramPeer peer, int slot, AddressHandle handle, SendCallback callback) {
		this.handles[slot] = handle;
		this.callbacks.set(slot, callback);
		this.outstanding.posted();
		int errno = this.queuePair.postSend(this.requests[slot]);
		if (errno != 0) {
			this.outstanding.completed();
			// Null when the destroy has told the caller already.
			boolean untold = this.callbacks.getAndSet(slot, null) != null;
			giveBack(slot, handle);
			if (untold) {
				throw (errno == Errno.ENOTCONN.value()) ? closed(peer) : new RdmaException("ibv_post_send", errno);
			}
		}
	}

	private void giveBack(int slot, AddressHandle handle) {
		handle.release();
		this.slots.giveBack(slot);
	}

	private int takeSlot(DatagramPeer peer) {
		// A thread that takes completions must not wait for one.
		boolean waits = !CompletionThread.isCurrent();
		return switch (this.slots.reserve(1, waits ? FREE_BUFFER_TIMEOUT.toNanos() : 0)) {
			case DONE -> this.slots.take();
			case CLOSED -> throw closed(peer);
			case INTERRUPTED -> throw new RdmaException("ibv_post_send", Errno.EINTR.value(),
					"The wait for a send buffer of " + describe(peer) + " was interrupted (EINTR)");
			case FULL -> throw waits ? new SendQueueFullException(Errno.ETIMEDOUT,
					"No send buffer of " + describe(peer) + " became free within " + FREE_BUFFER_TIMEOUT.toSeconds()
							+ " s (ETIMEDOUT): memory.buffer-count is too low")
					: new SendQueueFullException(Errno.ENOMEM, "No send buffer of " + describe(peer)
							+ " is free (ENOMEM), and the completion thread cannot wait for one: raise memory.buffer-count");
		};
	}

	private static String describe(DatagramPeer peer) {
		return "RDMA datagram endpoint '" + peer.owner().name() + "'";
	}

	private static ConnectionClosedException closed(DatagramPeer peer) {
		return new ConnectionClosedException(describe(peer) + " is being destroyed", null);
	}

	// Take the completion of a send. It counts as outstanding until all that it used is
	// given back.
	void completed(int slot, @Nullable RuntimeException error) {
		try {
			finish(slot, error);
		}
		finally {
			this.outstanding.completed();
		}
	}

	private void finish(int slot, @Nullable RuntimeException error) {
		if (error == null) {
			this.statistics.sent(this.requests[slot].lengths[0]);
		}
		SendCallback callback = this.callbacks.getAndSet(slot, null);
		AddressHandle handle = this.handles[slot];
		if (handle != null) {
			handle.release();
		}
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

	private int offset(int slot) {
		return this.firstOffset + slot * this.slotSize;
	}

}
