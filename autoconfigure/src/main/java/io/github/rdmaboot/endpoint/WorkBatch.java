package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;

import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.WorkRequestOpcode;

/**
 * Operations that are posted as one list, with one call of {@code ibv_post_send}, and
 * begin in their order. Only the last one is signalled, whose completion tells that all
 * are done, and those that ask for it with {@link #signal}. Obtained from
 * {@link RdmaOperations#batch}; not safe for several threads at once.
 * <p>
 * As soon as it was posted it may be posted again, or cleared and filled anew; but what
 * atomics found, see {@link #value}, is overwritten then.
 */
public final class WorkBatch {

	private final SendQueue queue;

	private final BatchEntries entries;

	WorkBatch(SendQueue queue, int capacity) {
		this.queue = queue;
		this.entries = new BatchEntries(queue, capacity);
	}

	/**
	 * Add to the batch: send a message from registered memory; stands for {@code
	 * IBV_WR_SEND}. It takes a receive of the peer, whose buffer must be large enough.
	 * @param local the memory with the message
	 * @param localOffset where the message begins, from 0
	 * @param length the length of the message in bytes, from 0
	 * @return this batch
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 * @throws IllegalStateException if the batch is full
	 */
	public WorkBatch send(RdmaMemory local, long localOffset, int length) {
		this.entries.next().transfer(WorkRequestOpcode.SEND, 0, local, localOffset, length, null, 0);
		return added();
	}

	/**
	 * Add to the batch: send a message from several ranges of memory; stands for {@code
	 * IBV_WR_SEND}.
	 * @param ranges the ranges with the message, at most {@code queue-pair.max-send-sge}
	 * that are not empty
	 * @return this batch
	 * @throws IllegalArgumentException if there are too many ranges
	 * @throws IllegalStateException if the batch is full
	 */
	public WorkBatch send(MemoryRanges ranges) {
		this.entries.next().transfer(WorkRequestOpcode.SEND, ranges, null, 0);
		return added();
	}

	/**
	 * Add to the batch: send a message with 32 bits beside it; stands for {@code
	 * IBV_WR_SEND_WITH_IMM}.
	 * @param local the memory with the message
	 * @param localOffset where the message begins, from 0
	 * @param length the length of the message in bytes, from 0
	 * @param immediate the 32 bits
	 * @return this batch
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 * @throws IllegalStateException if the batch is full
	 */
	public WorkBatch sendWithImmediate(RdmaMemory local, long localOffset, int length, int immediate) {
		this.queue.limits().requireImmediate();
		this.entries.next().transfer(WorkRequestOpcode.SEND_WITH_IMM, immediate, local, localOffset, length, null, 0);
		return added();
	}

	/**
	 * Add to the batch: send a small message whose bytes are copied into the request,
	 * from any memory; stands for {@code IBV_WR_SEND} with {@code IBV_SEND_INLINE}. The
	 * buffer may be used again as soon as the method returned.
	 * @param message the message from position to limit, at most {@code queue-pair.max-
	 * inline-data} bytes
	 * @return this batch
	 * @throws IllegalArgumentException if the message is too large
	 * @throws IllegalStateException if the batch is full
	 */
	public WorkBatch sendInline(ByteBuffer message) {
		this.queue.limits().requireInline(message.remaining());
		this.entries.next().begin(WorkRequestOpcode.SEND, 0);
		if (message.hasRemaining()) {
			this.entries.next().inline();
			this.entries.nextInline(message);
		}
		return added();
	}

	/**
	 * Add to the batch: read memory of the peer; stands for {@code IBV_WR_RDMA_READ}.
	 * @param local the memory to read into
	 * @param localOffset where to begin in it, from 0
	 * @param remote the memory of the peer
	 * @param remoteOffset where to begin in that, from 0
	 * @param length how many bytes, from 0
	 * @return this batch
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 * @throws RdmaException on EOPNOTSUPP if the connection was negotiated without reads
	 * @throws IllegalStateException if the batch is full
	 */
	public WorkBatch read(RdmaMemory local, long localOffset, RemoteMemory remote, long remoteOffset, int length) {
		this.queue.limits().requireReads();
		this.entries.next().transfer(WorkRequestOpcode.RDMA_READ, 0, local, localOffset, length, remote, remoteOffset);
		return added();
	}

	/**
	 * Add to the batch: read memory of the peer into several ranges of memory; stands for
	 * {@code IBV_WR_RDMA_READ}.
	 * @param ranges the ranges to read into, at most {@code queue-pair.max-send-sge} that
	 * are not empty
	 * @param remote the memory of the peer
	 * @param remoteOffset where to begin in that, from 0
	 * @return this batch
	 * @throws IllegalArgumentException if there are too many ranges
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 * @throws RdmaException on EOPNOTSUPP if the connection was negotiated without reads
	 * @throws IllegalStateException if the batch is full
	 */
	public WorkBatch read(MemoryRanges ranges, RemoteMemory remote, long remoteOffset) {
		this.queue.limits().requireReads();
		this.entries.next().transfer(WorkRequestOpcode.RDMA_READ, ranges, remote, remoteOffset);
		return added();
	}

	/**
	 * Add to the batch: write to memory of the peer, which hears nothing of it; stands
	 * for {@code IBV_WR_RDMA_WRITE}.
	 * @param local the memory with the bytes
	 * @param localOffset where they begin in it, from 0
	 * @param remote the memory of the peer
	 * @param remoteOffset where to begin in that, from 0
	 * @param length how many bytes, from 0
	 * @return this batch
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 * @throws IllegalStateException if the batch is full
	 */
	public WorkBatch write(RdmaMemory local, long localOffset, RemoteMemory remote, long remoteOffset, int length) {
		this.entries.next().transfer(WorkRequestOpcode.RDMA_WRITE, 0, local, localOffset, length, remote, remoteOffset);
		return added();
	}

	/**
	 * Add to the batch: write several ranges of memory to memory of the peer; stands for
	 * {@code IBV_WR_RDMA_WRITE}.
	 * @param ranges the ranges with the bytes, at most {@code queue-pair.max-send-sge}
	 * that are not empty
	 * @param remote the memory of the peer
	 * @param remoteOffset where to begin in that, from 0
	 * @return this batch
	 * @throws IllegalArgumentException if there are too many ranges
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 * @throws IllegalStateException if the batch is full
	 */
	public WorkBatch write(MemoryRanges ranges, RemoteMemory remote, long remoteOffset) {
		this.entries.next().transfer(WorkRequestOpcode.RDMA_WRITE, ranges, remote, remoteOffset);
		return added();
	}

	/**
	 * Add to the batch: write to memory of the peer and tell it with 32 bits, which take
	 * a receive of the peer; stands for {@code IBV_WR_RDMA_WRITE_WITH_IMM}.
	 * @param local the memory with the bytes
	 * @param localOffset where they begin in it, from 0
	 * @param remote the memory of the peer
	 * @param remoteOffset where to begin in that, from 0
	 * @param length how many bytes, from 0
	 * @param immediate the 32 bits
	 * @return this batch
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 * @throws IllegalStateException if the batch is full
	 */
	public WorkBatch writeWithImmediate(RdmaMemory local, long localOffset, RemoteMemory remote, long remoteOffset,
			int length, int immediate) {
		this.entries.next()
			.transfer(WorkRequestOpcode.RDMA_WRITE_WITH_IMM, immediate, local, localOffset, length, remote,
					remoteOffset);
		return added();
	}

	/**
	 * Add to the batch: replace 8 bytes of the peer's memory if they have an expected
	 * value; stands for {@code IBV_WR_ATOMIC_CMP_AND_SWP}. The bytes are a {@code long}
	 * in the byte order of the peer, and the address has to be a multiple of 8.
	 * @param remote the memory of the peer
	 * @param remoteOffset where the bytes are in it, from 0
	 * @param expected the value to replace
	 * @param replacement the value to replace it by
	 * @return this batch
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 * @throws IllegalArgumentException if the address is not a multiple of 8
	 * @throws RdmaException on EOPNOTSUPP if the connection was negotiated without reads
	 * @throws IllegalStateException if the batch is full
	 */
	public WorkBatch compareAndSwap(RemoteMemory remote, long remoteOffset, long expected, long replacement) {
		this.queue.limits().requireReads();
		this.entries.next().atomic(WorkRequestOpcode.ATOMIC_CMP_AND_SWP, remote, remoteOffset, expected, replacement);
		return added();
	}

	/**
	 * Add to the batch: add to 8 bytes of the peer's memory; stands for {@code
	 * IBV_WR_ATOMIC_FETCH_AND_ADD}. The bytes are a {@code long} in the byte order of the
	 * peer, and the address has to be a multiple of 8.
	 * @param remote the memory of the peer
	 * @param remoteOffset where the bytes are in it, from 0
	 * @param addend what to add
	 * @return this batch
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 * @throws IllegalArgumentException if the address is not a multiple of 8
	 * @throws RdmaException on EOPNOTSUPP if the connection was negotiated without reads
	 * @throws IllegalStateException if the batch is full
	 */
	public WorkBatch fetchAndAdd(RemoteMemory remote, long remoteOffset, long addend) {
		this.queue.limits().requireReads();
		this.entries.next().atomic(WorkRequestOpcode.ATOMIC_FETCH_AND_ADD, remote, remoteOffset, addend, 0);
		return added();
	}

	/**
	 * Let the operation that was added last begin only when all reads and atomics before
	 * it are done; stands for {@code IBV_SEND_FENCE}.
	 * @return this batch
	 * @throws IllegalStateException if the batch is empty
	 */
	public WorkBatch fence() {
		this.entries.last().fence();
		return this;
	}

	/**
	 * Have a callback told of the operation that was added last by itself, before the
	 * whole is done; stands for {@code IBV_SEND_SIGNALED}.
	 * @param callback learns of the outcome
	 * @return this batch
	 * @throws IllegalStateException if the batch is empty
	 */
	public WorkBatch signal(OperationCallback callback) {
		this.entries.signalLast(callback);
		return this;
	}

	/**
	 * Remove all operations.
	 * @return this batch
	 */
	public WorkBatch clear() {
		this.entries.clear();
		return this;
	}

	/**
	 * Return how many operations there are.
	 * @return the number
	 */
	public int size() {
		return this.entries.size();
	}

	/**
	 * Return what an atomic of the batch found, once the batch or that operation is done.
	 * @param index which operation, from 0 in the order in which they were added
	 * @return the value that the peer's memory had before
	 * @throws IndexOutOfBoundsException if there is no such operation
	 * @throws IllegalArgumentException if it is not an atomic
	 */
	public long value(int index) {
		WorkDescription work = this.entries.get(index);
		if (!work.isAtomic()) {
			throw new IllegalArgumentException("Operation " + index + " of the batch is not an atomic");
		}
		return work.value();
	}

	/**
	 * Post the batch. If a part of it is refused, which only an error of the device can
	 * cause, the connection ends, for what was posted before cannot be taken back.
	 * @param <C> the type of the callback
	 * @param callback learns when all is done, with the sum of the bytes, or of the first
	 * operation that failed
	 * @return the callback
	 * @throws IllegalArgumentException if the batch is empty, or its last operation has a
	 * callback of its own
	 * @throws IllegalStateException if memory was released
	 * @throws ConnectionClosedException if the connection is not open
	 * @throws SendQueueFullException if there is no room for all of it in the send queue
	 * @throws RdmaException on an errno of the call
	 */
	public <C extends OperationCallback> C post(C callback) {
		this.entries.post(callback);
		return callback;
	}

	private WorkBatch added() {
		this.entries.add();
		return this;
	}

}
