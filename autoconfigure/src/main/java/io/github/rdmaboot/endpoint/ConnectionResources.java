package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;

import io.github.rdmaboot.cm.OwnedCmId;
import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.QueuePairCapabilities;
import io.github.rdmaboot.verbs.CompletionQueue;
import io.github.rdmaboot.verbs.Device;
import io.github.rdmaboot.verbs.DeviceLease;
import io.github.rdmaboot.verbs.Devices;
import io.github.rdmaboot.verbs.MemoryBlock;
import io.github.rdmaboot.verbs.QueuePair;
import io.github.rdmaboot.verbs.SharedReceiveQueue;
import org.jspecify.annotations.Nullable;

/**
 * Verbs objects of a connection, made in the order in which they depend on each other and
 * freed in the opposite one. What could not be made stays {@code null} and is passed over
 * when freeing. Made and freed by one thread at a time, which the connection sees to.
 */
final class ConnectionResources {

	private static final long POLL_INTERVAL_NANOS = 100_000;

	/** How long to wait at most for a thread that holds completions of the queue. */
	private static final Duration LAST_POLL_PATIENCE = Duration.ofMillis(200);

	private final OutstandingRequests outstandingSends = new OutstandingRequests();

	private final OutstandingRequests outstandingReceives = new OutstandingRequests();

	private volatile @Nullable DeviceLease device;

	private volatile @Nullable ConnectionReceives receives;

	private volatile @Nullable MemoryBlock sendMemory;

	private final QueuePairResources queues = new QueuePairResources();

	private volatile @Nullable SendQueue sendQueue;

	private volatile @Nullable RdmaOperations operations;

	private volatile @Nullable MessageSender sender;

	private volatile @Nullable MessageReceiver receiver;

	private volatile boolean queuePairDestroyed;

	// Stops before the next native call when the connection is being destroyed meanwhile.
	void create(OwnedCmId id, Devices devices, ConnectionOwner owner, RdmaConnection connection, Executor executor) {
		MemorySettings buffers = owner.memorySettings();
		QueuePairSettings sizes = owner.queuePairSettings();
		int sends = Math.min(buffers.bufferCount(), sizes.maxSendWr()) + sizes.parked();
		DeviceLease device = devices.acquire(id.deviceContext());
		this.device = device;
		connection.requireNotClosing();
		ConnectionReceives receives = ConnectionReceives.take(owner, devices, device.device(), id.deviceContext());
		this.receives = receives;
		connection.requireNotClosing();
		SharedReceiveQueue shared = receives.queue();
		int maxRecvWr = (shared != null) ? 0 : sizes.maxRecvWr();
		CompletionQueue queue = CompletionQueue.create(device.device(), owner.completionSettings().policy(),
				sizes.maxSendWr() + Math.max(maxRecvWr, receives.count()),
				new ConnectionCompletions(connection, this, owner.statistics()),
				(error) -> connection.end(DestroyTrigger.DISCONNECT, error));
		this.queues.queue(queue);
		connection.requireNotClosing();
		long scratchOffset = ((long) sends * buffers.bufferSize() + Long.BYTES - 1) & -Long.BYTES;
		MemoryBlock sendMemory = device.device()
			.memoryPool()
			.allocate(size(scratchOffset + (long) sizes.maxOperations() * SendScratch.length(sizes)));
		this.sendMemory = sendMemory;
		owner.statistics().registered(sendMemory.length());
		connection.requireNotClosing();
		QueuePair queuePair = QueuePair.create(id, device.device(), queue, shared, new QueuePairCapabilities(
				sizes.maxSendWr(), maxRecvWr, sizes.maxSendSge(), sizes.maxRecvSge(), sizes.maxInlineData()));
		this.queues.queuePair(queuePair);
		ReceiveBuffers receiveBuffers = receives.buffers(queuePair, this.outstandingReceives);
		MessageReceiver receiver = new MessageReceiver(receiveBuffers, receives::release, owner.statistics(), executor,
				owner::messageHandler, connection,
				buffers.messages().isFragmenting() ? new MessageFragments(buffers.messages().maxSize()) : null);
		CallbackDispatcher dispatcher = new CallbackDispatcher(executor);
		Reservations reservations = new Reservations(connection, sizes);
		SendQueue sendQueue = new SendQueue(connection, sizes, device.device(), queuePair, this.outstandingSends,
				owner.statistics(), dispatcher, reservations,
				new SendScratch(sendMemory, (int) scratchOffset, sizes));
		this.sendQueue = sendQueue;
		this.operations = new RdmaOperations(sendQueue);
		this.sender = new MessageSender(connection, sendQueue, dispatcher, reservations, sendMemory, buffers, sends);
		this.receiver = receiver;
		connection.requireNotClosing();
		if (shared == null) {
			receiveBuffers.postAll();
		}
	}

	private static int size(long bytes) {
		if (bytes > Integer.MAX_VALUE) {
			throw new IllegalArgumentException("The buffers of a connection take " + bytes
					+ " bytes, but must take less than 2 GB: lower memory.buffer-size, memory.buffer-count, "
					+ "queue-pair.max-send-wr, queue-pair.max-inline-data or queue-pair.park-limit");
		}
		return (int) bytes;
	}

	@Nullable RdmaOperations operations() {
		return this.operations;
	}

	@Nullable SendCompletions sendCompletions() {
		SendQueue sendQueue = this.sendQueue;
		return (sendQueue != null) ? sendQueue.completions() : null;
	}

	// Return the device, once there is one.
	@Nullable Device device() {
		DeviceLease device = this.device;
		return (device != null) ? device.device() : null;
	}

	@Nullable MessageSender sender() {
		return this.sender;
	}

	@Nullable MessageReceiver receiver() {
		return this.receiver;
	}

	void shortenRnrWait() {
		QueuePair queuePair = this.queues.queuePair();
		if (queuePair != null) {
			queuePair.shortenRnrWait();
		}
	}

	void stopPosting() {
		MessageSender sender = this.sender;
		if (sender != null) {
			sender.close();
		}
		SendQueue sendQueue = this.sendQueue;
		if (sendQueue != null) {
			sendQueue.close();
		}
		this.queues.closeGate();
		if (sendQueue != null) {
			sendQueue.refuseParked();
		}
		// Senders learn of their end at once; receives are left to the drain.
		this.queues.notifyWhile(this.outstandingSends);
	}

	void flush() {
		this.queues.flush();
	}

	// Wait until every request has completed and no handler is running.
	boolean drain(Deadline deadline) {
		MessageReceiver receiver = this.receiver;
		pollShared();
		return this.queues.drain(deadline, () -> receiver == null || receiver.isIdle(), this.outstandingReceives,
				this.outstandingSends);
	}

	void destroyQueuePair() {
		this.queues.destroyQueuePair();
		this.queuePairDestroyed = true;
		SendQueue sendQueue = this.sendQueue;
		if (sendQueue != null) {
			sendQueue.completions().abandonPosted();
		}
	}

	// Return whether the device cannot use any memory on behalf of the connection.
	boolean isQueuePairDestroyed() {
		return this.queuePairDestroyed;
	}

	void tellWaiters(RuntimeException reason) {
		SendQueue sendQueue = this.sendQueue;
		if (sendQueue != null) {
			sendQueue.completions().failPending(reason);
		}
		MessageReceiver receiver = this.receiver;
		if (receiver != null) {
			receiver.close(reason);
		}
	}

	// Give the memory back, unless the device may still write into it.
	void releaseMemory(EndpointStatistics statistics) {
		if (!this.queuePairDestroyed) {
			return;
		}
		MemoryBlock sendMemory = this.sendMemory;
		if (sendMemory != null) {
			sendMemory.release();
			statistics.deregistered(sendMemory.length());
		}
		ConnectionReceives receives = this.receives;
		if (receives == null) {
			return;
		}
		MessageReceiver receiver = this.receiver;
		try {
			pollSharedToTheEnd();
		}
		finally {
			if (receiver != null) {
				receiver.letGoOfMemory();
			}
			else {
				receives.release();
			}
			receives.leave();
		}
	}

	// Buffers that others share must not get lost in what the queue pair left behind: no
	// event tells when it is done with them, on every device.
	// Returns whether there is nothing to poll or this thread did.
	private boolean pollShared() {
		CompletionQueue queue = this.queues.queue();
		ConnectionReceives receives = this.receives;
		return queue == null || receives == null || receives.queue() == null || queue.poll();
	}

	// Another thread may have looked for the last time before the queue pair was
	// destroyed,
	// and still be handing on what it found then.
	private void pollSharedToTheEnd() {
		Deadline deadline = Deadline.after(LAST_POLL_PATIENCE);
		while (!pollShared() && deadline.remainingNanos() > 0) {
			LockSupport.parkNanos(POLL_INTERVAL_NANOS);
		}
	}

	void destroyQueue() {
		this.queues.destroyQueue();
	}

	void releaseDevice() {
		DeviceLease device = this.device;
		if (device != null) {
			device.release();
		}
	}

}
