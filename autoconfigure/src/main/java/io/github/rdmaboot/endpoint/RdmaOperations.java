package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;

import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.WorkRequestOpcode;
import org.jspecify.annotations.Nullable;

/**
 * Operations of a connection on registered memory, with {@code ibv_post_send}. Each
 * begins before the method returns and tells its outcome to a callback: one of the
 * caller's own, which may be used again and again and then costs no allocation, or an
 * {@link OperationFuture}. All methods may be called from any thread. Operations of one
 * thread begin in their order; a later one may overtake reads and atomics, unless it
 * waits for them with {@link WorkBatch#fence}.
 * <p>
 * Ranges are checked before anything is sent, and so are the rest of the arguments. The
 * memory is the device's until the callback was called, also if it is released meanwhile.
 * An operation that fails, because the peer does not permit it for instance, ends the
 * connection: it is told of its {@link RdmaOperationException}, and all others that are
 * under way of a {@link ConnectionClosedException}.
 * <p>
 * Besides what each method says, all of them throw an {@link IllegalStateException} if
 * memory was released, an {@link IllegalArgumentException} if it is registered with
 * another device, a {@link ConnectionClosedException} if the connection is not open, a
 * {@link SendQueueFullException} if the send queue is full and
 * {@code queue-pair.when-full} does not help, and an {@link RdmaException} on an errno of
 * the call. The callback is not called if the method throws.
 */
public final class RdmaOperations {

	private final SendQueue queue;

	RdmaOperations(SendQueue queue) {
		this.queue = queue;
	}

	/**
	 * Send a message from registered memory; stands for {@code IBV_WR_SEND}. It takes a
	 * receive of the peer, whose buffer must be large enough.
	 * @param local the memory with the message
	 * @param localOffset where the message begins, from 0
	 * @param length the length of the message in bytes, from 0
	 * @param <C> the type of the callback
	 * @param callback learns of the outcome
	 * @return the callback
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 */
	public <C extends OperationCallback> C send(RdmaMemory local, long localOffset, int length, C callback) {
		return transfer(WorkRequestOpcode.SEND, 0, local, localOffset, length, null, 0, callback);
	}

	/**
	 * Send a message from several ranges of memory; stands for {@code IBV_WR_SEND}.
	 * @param ranges the ranges with the message, at most {@code queue-pair.max-send-sge}
	 * that are not empty
	 * @param <C> the type of the callback
	 * @param callback learns of the outcome
	 * @return the callback
	 * @throws IllegalArgumentException if there are too many ranges
	 */
	public <C extends OperationCallback> C send(MemoryRanges ranges, C callback) {
		return transfer(WorkRequestOpcode.SEND, ranges, null, 0, callback);
	}

	/**
	 * Send a message with 32 bits beside it; stands for {@code IBV_WR_SEND_WITH_IMM}.
	 * @param local the memory with the message
	 * @param localOffset where the message begins, from 0
	 * @param length the length of the message in bytes, from 0
	 * @param immediate the 32 bits
	 * @param <C> the type of the callback
	 * @param callback learns of the outcome
	 * @return the callback
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 */
	public <C extends OperationCallback> C sendWithImmediate(RdmaMemory local, long localOffset, int length,
			int immediate, C callback) {
		this.queue.limits().requireImmediate();
		return transfer(WorkRequestOpcode.SEND_WITH_IMM, immediate, local, localOffset, length, null, 0, callback);
	}

	/**
	 * Send a small message whose bytes are copied into the request, from any memory;
	 * stands for {@code IBV_WR_SEND} with {@code IBV_SEND_INLINE}. The buffer may be used
	 * again as soon as the method returned.
	 * @param message the message from position to limit, at most {@code queue-pair.max-
	 * inline-data} bytes
	 * @param <C> the type of the callback
	 * @param callback learns of the outcome
	 * @return the callback
	 * @throws IllegalArgumentException if the message is too large
	 */
	public <C extends OperationCallback> C sendInline(ByteBuffer message, C callback) {
		this.queue.limits().requireInline(message.remaining());
		int position = message.position();
		this.queue.order().begin();
		try {
			postInline(message, callback);
			return callback;
		}
		catch (RuntimeException ex) {
			message.position(position);
			throw ex;
		}
		finally {
			this.queue.order().end();
		}
	}

	/**
	 * Read memory of the peer; stands for {@code IBV_WR_RDMA_READ}.
	 * @param local the memory to read into
	 * @param localOffset where to begin in it, from 0
	 * @param remote the memory of the peer
	 * @param remoteOffset where to begin in that, from 0
	 * @param length how many bytes, from 0
	 * @param <C> the type of the callback
	 * @param callback learns of the outcome
	 * @return the callback
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 * @throws RdmaException on EOPNOTSUPP if the connection was negotiated without reads
	 */
	public <C extends OperationCallback> C read(RdmaMemory local, long localOffset, RemoteMemory remote,
			long remoteOffset, int length, C callback) {
		this.queue.limits().requireReads();
		return transfer(WorkRequestOpcode.RDMA_READ, 0, local, localOffset, length, remote, remoteOffset, callback);
	}

	/**
	 * Read memory of the peer into several ranges of memory; stands for {@code
	 * IBV_WR_RDMA_READ}.
	 * @param ranges the ranges to read into, at most {@code queue-pair.max-send-sge} that
	 * are not empty
	 * @param remote the memory of the peer
	 * @param remoteOffset where to begin in that, from 0
	 * @param <C> the type of the callback
	 * @param callback learns of the outcome
	 * @return the callback
	 * @throws IllegalArgumentException if there are too many ranges
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 * @throws RdmaException on EOPNOTSUPP if the connection was negotiated without reads
	 */
	public <C extends OperationCallback> C read(MemoryRanges ranges, RemoteMemory remote, long remoteOffset,
			C callback) {
		this.queue.limits().requireReads();
		return transfer(WorkRequestOpcode.RDMA_READ, ranges, remote, remoteOffset, callback);
	}

	/**
	 * Write to memory of the peer, which hears nothing of it; stands for {@code
	 * IBV_WR_RDMA_WRITE}.
	 * @param local the memory with the bytes
	 * @param localOffset where they begin in it, from 0
	 * @param remote the memory of the peer
	 * @param remoteOffset where to begin in that, from 0
	 * @param length how many bytes, from 0
	 * @param <C> the type of the callback
	 * @param callback learns of the outcome
	 * @return the callback
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 */
	public <C extends OperationCallback> C write(RdmaMemory local, long localOffset, RemoteMemory remote,
			long remoteOffset, int length, C callback) {
		return transfer(WorkRequestOpcode.RDMA_WRITE, 0, local, localOffset, length, remote, remoteOffset, callback);
	}

	/**
	 * Write several ranges of memory to memory of the peer; stands for {@code
	 * IBV_WR_RDMA_WRITE}.
	 * @param ranges the ranges with the bytes, at most {@code queue-pair.max-send-sge}
	 * that are not empty
	 * @param remote the memory of the peer
	 * @param remoteOffset where to begin in that, from 0
	 * @param <C> the type of the callback
	 * @param callback learns of the outcome
	 * @return the callback
	 * @throws IllegalArgumentException if there are too many ranges
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 */
	public <C extends OperationCallback> C write(MemoryRanges ranges, RemoteMemory remote, long remoteOffset,
			C callback) {
		return transfer(WorkRequestOpcode.RDMA_WRITE, ranges, remote, remoteOffset, callback);
	}

	/**
	 * Write to memory of the peer and tell it with 32 bits, which take a receive of the
	 * peer; stands for {@code IBV_WR_RDMA_WRITE_WITH_IMM}.
	 * @param local the memory with the bytes
	 * @param localOffset where they begin in it, from 0
	 * @param remote the memory of the peer
	 * @param remoteOffset where to begin in that, from 0
	 * @param length how many bytes, from 0
	 * @param immediate the 32 bits
	 * @param <C> the type of the callback
	 * @param callback learns of the outcome
	 * @return the callback
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 */
	public <C extends OperationCallback> C writeWithImmediate(RdmaMemory local, long localOffset, RemoteMemory remote,
			long remoteOffset, int length, int immediate, C callback) {
		return transfer(WorkRequestOpcode.RDMA_WRITE_WITH_IMM, immediate, local, localOffset, length, remote,
				remoteOffset, callback);
	}

	/**
	 * Replace 8 bytes of the peer's memory if they have an expected value; stands for
	 * {@code IBV_WR_ATOMIC_CMP_AND_SWP}. The bytes are a {@code long} in the byte order
	 * of the peer, and the address has to be a multiple of 8.
	 * @param remote the memory of the peer
	 * @param remoteOffset where the bytes are in it, from 0
	 * @param expected the value to replace
	 * @param replacement the value to replace it by
	 * @param <C> the type of the callback
	 * @param callback learns of the outcome
	 * @return the callback
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 * @throws IllegalArgumentException if the address is not a multiple of 8
	 * @throws RdmaException on EOPNOTSUPP if the connection was negotiated without reads
	 */
	public <C extends OperationCallback> C compareAndSwap(RemoteMemory remote, long remoteOffset, long expected,
			long replacement, C callback) {
		this.queue.limits().requireReads();
		return atomic(WorkRequestOpcode.ATOMIC_CMP_AND_SWP, remote, remoteOffset, expected, replacement, callback);
	}

	/**
	 * Add to 8 bytes of the peer's memory; stands for
	 * {@code IBV_WR_ATOMIC_FETCH_AND_ADD}. The bytes are a {@code long} in the byte order
	 * of the peer, and the address has to be a multiple of 8.
	 * @param remote the memory of the peer
	 * @param remoteOffset where the bytes are in it, from 0
	 * @param addend what to add
	 * @param <C> the type of the callback
	 * @param callback learns of the outcome
	 * @return the callback
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 * @throws IllegalArgumentException if the address is not a multiple of 8
	 * @throws RdmaException on EOPNOTSUPP if the connection was negotiated without reads
	 */
	public <C extends OperationCallback> C fetchAndAdd(RemoteMemory remote, long remoteOffset, long addend,
			C callback) {
		this.queue.limits().requireReads();
		return atomic(WorkRequestOpcode.ATOMIC_FETCH_AND_ADD, remote, remoteOffset, addend, 0, callback);
	}

	/**
	 * Make a batch, to be filled and posted as often as one likes.
	 * @param capacity how many operations it has room for, from 1 to
	 * {@code queue-pair.max-send-wr}
	 * @return the batch
	 * @throws IllegalArgumentException if the capacity is out of range
	 */
	public WorkBatch batch(int capacity) {
		Settings.between("capacity", capacity, 1, this.queue.settings().maxSendWr());
		return new WorkBatch(this.queue, capacity);
	}

	private <C extends OperationCallback> C transfer(WorkRequestOpcode opcode, int immediate, RdmaMemory local,
			long localOffset, int length, @Nullable RemoteMemory remote, long remoteOffset, C callback) {
		this.queue.order().begin(opcode);
		try {
			SendSlot slot = this.queue.takeOne(opcode);
			try {
				slot.work().transfer(opcode, immediate, local, localOffset, length, remote, remoteOffset);
			}
			catch (RuntimeException ex) {
				this.queue.giveBackAll(slot);
				throw ex;
			}
			return post(slot, callback);
		}
		finally {
			this.queue.order().end(opcode);
		}
	}

	private <C extends OperationCallback> C transfer(WorkRequestOpcode opcode, MemoryRanges ranges,
			@Nullable RemoteMemory remote, long remoteOffset, C callback) {
		this.queue.order().begin(opcode);
		try {
			SendSlot slot = this.queue.takeOne(opcode);
			try {
				slot.work().transfer(opcode, ranges, remote, remoteOffset);
			}
			catch (RuntimeException ex) {
				this.queue.giveBackAll(slot);
				throw ex;
			}
			return post(slot, callback);
		}
		finally {
			this.queue.order().end(opcode);
		}
	}

	private void postInline(ByteBuffer message, OperationCallback callback) {
		SendSlot slot = this.queue.takeOne(WorkRequestOpcode.SEND);
		this.queue.enter(slot);
		try {
			slot.work().begin(WorkRequestOpcode.SEND, 0);
			if (message.hasRemaining()) {
				slot.work().inline();
			}
			this.queue.scratch().use(slot, message);
			message.position(message.limit());
			this.queue.post(slot, callback);
		}
		finally {
			this.queue.leave();
		}
	}

	private <C extends OperationCallback> C atomic(WorkRequestOpcode opcode, RemoteMemory remote, long remoteOffset,
			long compareAdd, long swap, C callback) {
		SendSlot slot = this.queue.takeOne(opcode);
		try {
			slot.work().atomic(opcode, remote, remoteOffset, compareAdd, swap);
		}
		catch (RuntimeException ex) {
			this.queue.giveBackAll(slot);
			throw ex;
		}
		this.queue.scratch().use(slot, null);
		return post(slot, callback);
	}

	private <C extends OperationCallback> C post(SendSlot slot, C callback) {
		this.queue.post(slot, callback);
		return callback;
	}

	RdmaConnection connection() {
		return this.queue.connection();
	}

}
