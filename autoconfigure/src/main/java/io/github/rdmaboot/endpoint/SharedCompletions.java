package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.WorkCompletion;
import io.github.rdmaboot.verbs.CompletionHandler;
import io.github.rdmaboot.verbs.CompletionPolicy;
import io.github.rdmaboot.verbs.CompletionQueue;
import io.github.rdmaboot.verbs.Device;
import org.jspecify.annotations.Nullable;

/**
 * Completions of a shared receive queue, in one completion queue for all connections:
 * there are never more than buffers, so as long as it has room for those it cannot
 * overrun. Each goes to its connection by the number of the queue pair. What comes when
 * its connection is gone has its buffer posted again.
 * <p>
 * A device may give the number of a queue pair that was destroyed to a new one while the
 * last completions of the old one are unread, and nothing tells them from those of the
 * new one. So a connection leaves only when all were read, and another does not take its
 * number before.
 */
final class SharedCompletions implements CompletionHandler {

	/** How long to wait at most for a thread that holds completions of the queue. */
	private static final Duration PATIENCE = Duration.ofMillis(200);

	private static final Duration PATIENCE_FOR_NUMBER = Duration.ofSeconds(5);

	private static final long POLL_INTERVAL_NANOS = 100_000;

	private final ReceiveBuffers buffers;

	private final EndpointStatistics statistics;

	private final QueuePairTable connections = new QueuePairTable();

	private final Queue<Leaving> leaving = new ConcurrentLinkedQueue<>();

	private final Runnable failureHook;

	private final CompletionQueue queue;

	private volatile @Nullable RuntimeException failure;

	/** Somebody waited in vain for a thread that holds completions of the queue. */
	private volatile boolean heldUp;

	// The hook is called when no completions are taken any more, before the connections
	// are told.
	SharedCompletions(Device device, CompletionPolicy policy, ReceiveBuffers buffers, EndpointStatistics statistics,
			Runnable failureHook) {
		this.buffers = buffers;
		this.statistics = statistics;
		this.failureHook = failureHook;
		this.queue = CompletionQueue.create(device, policy, buffers.count(), this, this::failed);
	}

	// No completions are taken any more.
	void failed(RuntimeException error) {
		this.failure = error;
		this.failureHook.run();
		this.connections.forEach((connection) -> connection.queueFailed(error));
	}

	CompletionQueue queue() {
		return this.queue;
	}

	@Override
	public void onCompletion(WorkCompletion completion) {
		ConnectionCompletions connection = this.connections.find(completion.qpNum);
		if (connection != null) {
			connection.onCompletion(completion);
			return;
		}
		this.statistics.receiveReturned();
		int errno = this.buffers.failed((int) completion.wrId);
		if (errno != 0 && errno != Errno.ENOTCONN.value()) {
			throw new RdmaException("ibv_post_srq_recv", errno);
		}
	}

	// Hand completions of a queue pair to its connection, from before it is connected.
	void add(int qpNum, ConnectionCompletions connection) {
		Deadline deadline = Deadline.after(PATIENCE_FOR_NUMBER);
		while (!this.connections.add(qpNum, connection)) {
			if (read()) {
				this.connections.removeAny(qpNum);
			}
			else if (deadline.remainingNanos() == 0) {
				throw new RdmaException("rdma_create_qp", Errno.EBUSY.value(),
						"Queue pair number " + qpNum + " cannot be used yet (EBUSY): a message handler holds up the "
								+ "completions of the queue pair that had it before");
			}
			else {
				LockSupport.parkNanos(POLL_INTERVAL_NANOS);
			}
		}
		RuntimeException failure = this.failure;
		if (failure != null) {
			// Whoever told the others may have missed this one.
			connection.queueFailed(failure);
		}
	}

	// Read all completions that are there, before a queue pair is destroyed: some devices
	// drop those of it that are unread, and with them the numbers of buffers that others
	// need. Another thread may hold some that it read before, and still be handing them
	// on. Who waits for it in vain does so for all connections: the next ones look once,
	// until one finds the queue free. Returns whether they were read.
	boolean readAll() {
		Deadline deadline = Deadline.after(PATIENCE);
		while (!read()) {
			if (this.heldUp) {
				return false;
			}
			if (deadline.remainingNanos() == 0) {
				this.heldUp = true;
				return false;
			}
			LockSupport.parkNanos(POLL_INTERVAL_NANOS);
		}
		return true;
	}

	// Let go of a connection whose queue pair was destroyed. If completions of it may be
	// left, whoever reads all next sees to them, or whoever has the same number next.
	// That one may have it already.
	void remove(int qpNum, ConnectionCompletions connection) {
		this.leaving.add(new Leaving(qpNum, connection));
		readAll();
	}

	// Read all completions that are there, unless another thread does so, and let go of
	// the connections none of whose are left then. Returns whether they were read, or
	// left to the thread of the queue.
	boolean read() {
		List<Leaving> gone = List.copyOf(this.leaving);
		if (!this.queue.poll()) {
			return false;
		}
		this.heldUp = false;
		for (Leaving each : gone) {
			this.connections.remove(each.qpNum, each.connection);
			this.leaving.remove(each);
		}
		return true;
	}

	/**
	 * Connection whose queue pair was destroyed.
	 */
	private record Leaving(int qpNum, ConnectionCompletions connection) {

	}

}
