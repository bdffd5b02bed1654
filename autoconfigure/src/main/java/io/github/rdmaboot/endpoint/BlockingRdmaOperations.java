package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.verbs.CompletionThread;
import org.jspecify.annotations.Nullable;

/**
 * Operations of a connection that wait until they are done, for a limited time, and throw
 * the very exception with which they failed: besides those of {@link RdmaOperations} an
 * {@link RdmaOperationException} or a {@link ConnectionClosedException}, and an
 * {@link RdmaException} on ETIMEDOUT if the time is up and on EINTR if the thread is
 * interrupted. An operation that nobody waits for any more goes on, and the device uses
 * its memory until it is done. All methods may be called from any thread but one that
 * takes completions.
 */
public final class BlockingRdmaOperations {

	/** How long an operation is waited for unless said otherwise. */
	public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);

	private final RdmaOperations operations;

	private final Duration timeout;

	BlockingRdmaOperations(RdmaOperations operations, Duration timeout) {
		Settings.positive("timeout", timeout);
		this.operations = operations;
		this.timeout = timeout;
	}

	/**
	 * Send a message from registered memory; stands for {@code IBV_WR_SEND}. It takes a
	 * receive of the peer, whose buffer must be large enough.
	 * @param local the memory with the message
	 * @param localOffset where the message begins, from 0
	 * @param length the length of the message in bytes, from 0
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 * @throws RdmaException if it failed or was not done in time
	 */
	public void send(RdmaMemory local, long localOffset, int length) {
		await(this.operations.send(local, localOffset, length, begin()));
	}

	/**
	 * Send a message from several ranges of memory; stands for {@code IBV_WR_SEND}.
	 * @param ranges the ranges with the message, at most {@code queue-pair.max-send-sge}
	 * that are not empty
	 * @throws IllegalArgumentException if there are too many ranges
	 * @throws RdmaException if it failed or was not done in time
	 */
	public void send(MemoryRanges ranges) {
		await(this.operations.send(ranges, begin()));
	}

	/**
	 * Send a message with 32 bits beside it; stands for {@code IBV_WR_SEND_WITH_IMM}.
	 * @param local the memory with the message
	 * @param localOffset where the message begins, from 0
	 * @param length the length of the message in bytes, from 0
	 * @param immediate the 32 bits
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 * @throws RdmaException if it failed or was not done in time
	 */
	public void sendWithImmediate(RdmaMemory local, long localOffset, int length, int immediate) {
		await(this.operations.sendWithImmediate(local, localOffset, length, immediate, begin()));
	}

	/**
	 * Send a small message whose bytes are copied into the request, from any memory;
	 * stands for {@code IBV_WR_SEND} with {@code IBV_SEND_INLINE}. The buffer may be used
	 * again as soon as the method returned.
	 * @param message the message from position to limit, at most {@code queue-pair.max-
	 * inline-data} bytes
	 * @throws IllegalArgumentException if the message is too large
	 * @throws RdmaException if it failed or was not done in time
	 */
	public void sendInline(ByteBuffer message) {
		await(this.operations.sendInline(message, begin()));
	}

	/**
	 * Read memory of the peer; stands for {@code IBV_WR_RDMA_READ}.
	 * @param local the memory to read into
	 * @param localOffset where to begin in it, from 0
	 * @param remote the memory of the peer
	 * @param remoteOffset where to begin in that, from 0
	 * @param length how many bytes, from 0
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 * @throws RdmaException on EOPNOTSUPP if the connection was negotiated without reads,
	 * or an errno of why it was not done
	 */
	public void read(RdmaMemory local, long localOffset, RemoteMemory remote, long remoteOffset, int length) {
		await(this.operations.read(local, localOffset, remote, remoteOffset, length, begin()));
	}

	/**
	 * Read memory of the peer into several ranges of memory; stands for {@code
	 * IBV_WR_RDMA_READ}.
	 * @param ranges the ranges to read into, at most {@code queue-pair.max-send-sge} that
	 * are not empty
	 * @param remote the memory of the peer
	 * @param remoteOffset where to begin in that, from 0
	 * @throws IllegalArgumentException if there are too many ranges
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 * @throws RdmaException on EOPNOTSUPP if the connection was negotiated without reads,
	 * or an errno of why it was not done
	 */
	public void read(MemoryRanges ranges, RemoteMemory remote, long remoteOffset) {
		await(this.operations.read(ranges, remote, remoteOffset, begin()));
	}

	/**
	 * Write to memory of the peer, which hears nothing of it; stands for {@code
	 * IBV_WR_RDMA_WRITE}.
	 * @param local the memory with the bytes
	 * @param localOffset where they begin in it, from 0
	 * @param remote the memory of the peer
	 * @param remoteOffset where to begin in that, from 0
	 * @param length how many bytes, from 0
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 * @throws RdmaException if it failed or was not done in time
	 */
	public void write(RdmaMemory local, long localOffset, RemoteMemory remote, long remoteOffset, int length) {
		await(this.operations.write(local, localOffset, remote, remoteOffset, length, begin()));
	}

	/**
	 * Write several ranges of memory to memory of the peer; stands for {@code
	 * IBV_WR_RDMA_WRITE}.
	 * @param ranges the ranges with the bytes, at most {@code queue-pair.max-send-sge}
	 * that are not empty
	 * @param remote the memory of the peer
	 * @param remoteOffset where to begin in that, from 0
	 * @throws IllegalArgumentException if there are too many ranges
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 * @throws RdmaException if it failed or was not done in time
	 */
	public void write(MemoryRanges ranges, RemoteMemory remote, long remoteOffset) {
		await(this.operations.write(ranges, remote, remoteOffset, begin()));
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
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 * @throws RdmaException if it failed or was not done in time
	 */
	public void writeWithImmediate(RdmaMemory local, long localOffset, RemoteMemory remote, long remoteOffset,
			int length, int immediate) {
		await(this.operations.writeWithImmediate(local, localOffset, remote, remoteOffset, length, immediate, begin()));
	}

	/**
	 * Replace 8 bytes of the peer's memory if they have an expected value; stands for
	 * {@code IBV_WR_ATOMIC_CMP_AND_SWP}. The bytes are a {@code long} in the byte order
	 * of the peer, and the address has to be a multiple of 8.
	 * @param remote the memory of the peer
	 * @param remoteOffset where the bytes are in it, from 0
	 * @param expected the value to replace
	 * @param replacement the value to replace it by
	 * @return the value that the peer's memory had before
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 * @throws IllegalArgumentException if the address is not a multiple of 8
	 * @throws RdmaException on EOPNOTSUPP if the connection was negotiated without reads,
	 * or an errno of why it was not done
	 */
	public long compareAndSwap(RemoteMemory remote, long remoteOffset, long expected, long replacement) {
		return await(this.operations.compareAndSwap(remote, remoteOffset, expected, replacement, begin()));
	}

	/**
	 * Add to 8 bytes of the peer's memory; stands for
	 * {@code IBV_WR_ATOMIC_FETCH_AND_ADD}. The bytes are a {@code long} in the byte order
	 * of the peer, and the address has to be a multiple of 8.
	 * @param remote the memory of the peer
	 * @param remoteOffset where the bytes are in it, from 0
	 * @param addend what to add
	 * @return the value that the peer's memory had before
	 * @throws IndexOutOfBoundsException if a range is not inside its memory
	 * @throws IllegalArgumentException if the address is not a multiple of 8
	 * @throws RdmaException on EOPNOTSUPP if the connection was negotiated without reads,
	 * or an errno of why it was not done
	 */
	public long fetchAndAdd(RemoteMemory remote, long remoteOffset, long addend) {
		return await(this.operations.fetchAndAdd(remote, remoteOffset, addend, begin()));
	}

	/**
	 * Post a batch and wait until all of it is done.
	 * @param batch the batch, of this connection
	 * @throws RdmaException if it failed or was not done in time
	 */
	public void post(WorkBatch batch) {
		await(batch.post(begin()));
	}

	private static Waiter begin() {
		if (CompletionThread.isCurrent()) {
			throw new IllegalStateException(
					"A thread that takes completions must not wait for one: pass a callback instead");
		}
		return new Waiter();
	}

	private long await(Waiter waiter) {
		try {
			return waiter.get(this.timeout.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			throw new RdmaException("ibv_poll_cq", Errno.ETIMEDOUT.value(),
					"An operation of " + this.operations.connection() + " was not done within "
							+ Settings.text(this.timeout) + " (ETIMEDOUT); it goes on, and its memory is in use");
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new RdmaException("ibv_poll_cq", Errno.EINTR.value(), "The wait for an operation of "
					+ this.operations.connection() + " was interrupted (EINTR); it goes on, and its memory is in use");
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof RuntimeException cause) ? cause : new IllegalStateException(ex);
		}
	}

	/**
	 * Wakes the thread that waits, without the way over an executor.
	 */
	private static final class Waiter extends CompletableFuture<Long> implements DirectCallback {

		@Override
		public void completed(long result, @Nullable RuntimeException error) {
			if (error != null) {
				completeExceptionally(error);
			}
			else {
				complete(result);
			}
		}

	}

}
