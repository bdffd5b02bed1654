package io.github.rdmaboot.endpoint;

import java.util.concurrent.atomic.AtomicBoolean;

import io.github.rdmaboot.verbs.Device;
import io.github.rdmaboot.verbs.Devices;
import io.github.rdmaboot.verbs.MemoryBlock;
import io.github.rdmaboot.verbs.QueuePair;
import io.github.rdmaboot.verbs.SharedReceiveQueue;
import org.jspecify.annotations.Nullable;

/**
 * Memory into which the messages of a connection are received: its own, or that of the
 * receive queue which it shares with other connections.
 */
final class ConnectionReceives {

	private final int bufferSize;

	private final HeaderForm headers;

	private final int count;

	private final EndpointStatistics statistics;

	private final SharedReceives.@Nullable Shared shared;

	private final @Nullable MemoryBlock memory;

	private final AtomicBoolean left = new AtomicBoolean();

	private final AtomicBoolean released = new AtomicBoolean();

	private ConnectionReceives(ConnectedEndpoint owner, HeaderForm headers, int count,
			SharedReceives.@Nullable Shared shared, @Nullable MemoryBlock memory) {
		this.bufferSize = owner.memorySettings().bufferSize();
		this.headers = headers;
		this.count = count;
		this.statistics = owner.statistics();
		this.shared = shared;
		this.memory = memory;
	}

	// Take the memory, or join those who share a queue.
	static ConnectionReceives take(ConnectedEndpoint owner, Devices devices, Device device, long context,
			HeaderForm headers) {
		SharedReceives sharing = owner.sharedReceives();
		if (sharing != null) {
			SharedReceives.Shared shared = sharing.join(devices, context);
			return new ConnectionReceives(owner, headers, 0, shared, null);
		}
		int count = Math.min(owner.memorySettings().bufferCount(), owner.queuePairSettings().maxRecvWr());
		MemoryBlock memory = device.memoryPool()
			.allocate(ReceiveBuffers.size(owner.memorySettings().bufferSize(), headers, count));
		owner.statistics().registered(memory.length());
		return new ConnectionReceives(owner, headers, count, null, memory);
	}

	// Return how many receives the connection has for itself.
	int count() {
		return this.count;
	}

	// Return the queue that is shared, or null if the connection has its own.
	@Nullable SharedReceiveQueue queue() {
		return (this.shared != null) ? this.shared.queue() : null;
	}

	// Return what takes the completions of the queue that is shared, or null.
	@Nullable SharedCompletions completions() {
		return (this.shared != null) ? this.shared.completions() : null;
	}

	// Return the buffers, once there is a queue pair to post them to. Those of a shared
	// queue are posted already.
	ReceiveBuffers buffers(QueuePair queuePair, OutstandingRequests outstanding) {
		return (this.memory == null) ? shared().buffers() : new ReceiveBuffers(this.memory, this.bufferSize,
				this.headers, this.count, queuePair::postReceive, outstanding, false);
	}

	// Let go of the queue that is shared, which makes native calls: before the device is
	// given back, also while a handler still reads. Does nothing the second time.
	void leave() {
		if (this.shared != null && this.left.compareAndSet(false, true)) {
			this.shared.leave();
		}
	}

	// Let go of the memory, which neither the device nor a handler uses any more for this
	// connection. Makes no native call, so that it may come at any time. Does nothing the
	// second time.
	void release() {
		if (!this.released.compareAndSet(false, true)) {
			return;
		}
		if (this.memory == null) {
			shared().release();
			return;
		}
		this.memory.release();
		this.statistics.deregistered(this.memory.length());
	}

	private SharedReceives.Shared shared() {
		if (this.shared == null) {
			throw new IllegalStateException("The connection shares no receive queue");
		}
		return this.shared;
	}

}
