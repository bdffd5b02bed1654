package io.github.rdmaboot.endpoint;

import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.github.rdmaboot.cm.OwnedCmId;
import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.provider.QueuePairCapabilities;
import io.github.rdmaboot.provider.RdmaException;
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

	private final OutstandingRequests outstandingSends = new OutstandingRequests();

	private final OutstandingRequests outstandingReceives = new OutstandingRequests();

	private volatile @Nullable DeviceLease device;

	private volatile @Nullable ConnectionReceives receives;

	private volatile @Nullable MemoryBlock sendMemory;

	private final QueuePairResources queues = new QueuePairResources();

	private volatile @Nullable SendQueue sendQueue;

	private volatile @Nullable RdmaOperations operations;

	private volatile @Nullable MessageSender sender;

	private volatile @Nullable CreditGrants grants;

	private volatile @Nullable MessageReceiver receiver;

	/** Takes completions of the receive queue that is shared. */
	private volatile @Nullable ConnectionCompletions added;

	private volatile boolean queuePairDestroyed;

	// Stops before the next native call when the connection is being destroyed meanwhile.
	void create(OwnedCmId id, Devices devices, ConnectedEndpoint owner, RdmaConnection connection, Executor executor) {
		MemorySettings buffers = owner.memorySettings();
		QueuePairSettings sizes = owner.queuePairSettings();
		int sends = Math.min(buffers.bufferCount(), sizes.maxSendWr()) + sizes.parked();
		DeviceLease device = devices.acquire(id.deviceContext());
		this.device = device;
		connection.requireNotClosing();
		MessageSettings messages = buffers.messages();
		HeaderForm headers = HeaderForm.of(messages, device.device());
		ConnectionReceives receives = ConnectionReceives.take(owner, devices, device.device(), id.deviceContext(),
				headers);
		this.receives = receives;
		connection.requireNotClosing();
		long maxBytes = device.device().maxMessageSize(id.portNum());
		connection.requireNotClosing();
		SharedReceiveQueue shared = receives.queue();
		Credits credits = messages.isCounting() ? new Credits(receives.count()) : null;
		// The one that is more than configured is for grants without a message.
		int maxSendWr = sum(sizes.maxSendWr(), (credits != null) ? 1 : 0);
		int maxRecvWr = (shared != null) ? 0 : sizes.maxRecvWr();
		ConnectionCompletions completions = new ConnectionCompletions(connection, this, owner.statistics());
		int entries = sum(maxSendWr, maxRecvWr);
		CompletionQueue queue = QueueRefusal.explaining(
				() -> CompletionQueue.create(device.device(), owner.completionSettings().policy(), entries, completions,
						completions::queueFailed),
				entries, (shared != null) ? "queue-pair.max-send-wr" : "queue-pair.max-send-wr with max-recv-wr");
		this.queues.queue(queue);
		connection.requireNotClosing();
		long scratchOffset = ((long) sends * buffers.bufferSize() + Long.BYTES - 1) & -Long.BYTES;
		MemoryBlock sendMemory = device.device()
			.memoryPool()
			.allocate(size(scratchOffset + SendScratch.size(sizes, headers)));
		this.sendMemory = sendMemory;
		owner.statistics().registered(sendMemory.length());
		connection.requireNotClosing();
		SharedCompletions sharedCompletions = receives.completions();
		CompletionQueue ofReceives = (sharedCompletions != null) ? sharedCompletions.queue() : queue;
		QueuePairCapabilities capabilities = new QueuePairCapabilities(maxSendWr, maxRecvWr,
				sum(sizes.maxSendSge(), headers.buffers()), sizes.maxRecvSge(),
				(sizes.maxInlineData() > 0) ? sum(sizes.maxInlineData(), headers.length()) : 0);
		QueuePair queuePair;
		try {
			queuePair = QueuePair.create(id, device.device(), queue, ofReceives, shared, capabilities);
		}
		catch (RdmaException ex) {
			throw QueueRefusal.explain(ex, capabilities, messages, headers);
		}
		this.queues.queuePair(queuePair);
		ReceiveBuffers receiveBuffers = receives.buffers(queuePair, this.outstandingReceives);
		CallbackDispatcher dispatcher = new CallbackDispatcher(executor);
		Reservations reservations = new Reservations(connection, sizes);
		SendQueue sendQueue = new SendQueue(connection, sizes, device.device(), maxBytes, queuePair,
				this.outstandingSends, owner.statistics(), dispatcher, reservations,
				new MessageOrder(connection, reservations, messages.isFragmenting()),
				new SendScratch(sendMemory, (int) scratchOffset, sizes, headers), headers, credits);
		this.sendQueue = sendQueue;
		this.operations = new RdmaOperations(sendQueue);
		this.sender = new MessageSender(connection, sendQueue, dispatcher, reservations, sendMemory, buffers, sends);
		CreditGrants grants = (credits != null)
				? new CreditGrants(connection, credits, queuePair, sendQueue, this.outstandingSends) : null;
		this.grants = grants;
		this.receiver = new MessageReceiver(receiveBuffers, receives::release, owner.statistics(), executor,
				owner::messageHandler, connection, messages, headers, grants);
		if (sharedCompletions != null) {
			sharedCompletions.add(queuePair.qpNum(), completions);
			this.added = completions;
		}
		connection.requireNotClosing();
		if (shared == null) {
			receiveBuffers.postAll();
		}
	}

	// What is too large is left to the device to refuse.
	private static int sum(int one, int other) {
		return (int) Math.min((long) one + other, Integer.MAX_VALUE);
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

	@Nullable CreditGrants grants() {
		return this.grants;
	}

	@Nullable MessageSender sender() {
		return this.sender;
	}

	@Nullable MessageReceiver receiver() {
		return this.receiver;
	}

	// Both sides can send now.
	void established() {
		CreditGrants grants = this.grants;
		if (grants != null) {
			grants.established();
		}
	}

	void tune() {
		QueuePair queuePair = this.queues.queuePair();
		if (queuePair != null) {
			queuePair.shortenRnrWait();
			queuePair.queryMaxReads();
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
		try {
			readShared();
		}
		finally {
			destroyReadQueuePair();
		}
	}

	private void destroyReadQueuePair() {
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

	void tellWaiters(Supplier<RuntimeException> reason) {
		SendQueue sendQueue = this.sendQueue;
		if (sendQueue != null) {
			sendQueue.completions().failPending(reason);
		}
		MessageReceiver receiver = this.receiver;
		if (receiver != null) {
			receiver.close(reason);
		}
	}

	// Give the memory back, unless the device may still write into it. A queue that is
	// shared keeps its memory until it is destroyed itself, so that it can be left in any
	// case.
	void releaseMemory(EndpointStatistics statistics) {
		MemoryBlock sendMemory = this.sendMemory;
		if (sendMemory != null && this.queuePairDestroyed) {
			sendMemory.release();
			statistics.deregistered(sendMemory.length());
		}
		ConnectionReceives receives = this.receives;
		if (receives == null || (!this.queuePairDestroyed && receives.queue() == null)) {
			return;
		}
		MessageReceiver receiver = this.receiver;
		try {
			leaveShared();
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

	// What has arrived is handed on while handlers are waited for.
	private void pollShared() {
		SharedCompletions completions = sharedCompletions();
		if (completions != null) {
			completions.read();
		}
	}

	// Buffers that others share must not get lost in what the queue pair leaves behind.
	private void readShared() {
		SharedCompletions completions = sharedCompletions();
		if (completions != null && this.queues.queuePair() != null) {
			completions.readAll();
		}
	}

	private void leaveShared() {
		SharedCompletions completions = sharedCompletions();
		ConnectionCompletions added = this.added;
		QueuePair queuePair = this.queues.queuePair();
		if (completions != null && added != null && queuePair != null) {
			completions.remove(queuePair.qpNum(), added);
		}
	}

	private @Nullable SharedCompletions sharedCompletions() {
		ConnectionReceives receives = this.receives;
		return (receives != null) ? receives.completions() : null;
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
