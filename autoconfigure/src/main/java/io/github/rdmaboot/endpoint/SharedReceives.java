package io.github.rdmaboot.endpoint;

import java.util.HashMap;
import java.util.Map;

import io.github.rdmaboot.verbs.DeviceLease;
import io.github.rdmaboot.verbs.Devices;
import io.github.rdmaboot.verbs.MemoryBlock;
import io.github.rdmaboot.verbs.SharedReceiveQueue;
import org.jspecify.annotations.Nullable;

/**
 * Receive queues that the connections of a server share, one for each device. It is made
 * by the first connection on the device, while the others wait, and destroyed by the last
 * that lets go of it.
 * <p>
 * The monitor of this object guards the queues and the counts of their users.
 */
final class SharedReceives {

	private final int size;

	private final int bufferSize;

	private final EndpointStatistics statistics;

	private final Map<Long, Shared> byContext = new HashMap<>();

	SharedReceives(int size, int bufferSize, EndpointStatistics statistics) {
		this.size = size;
		this.bufferSize = bufferSize;
		this.statistics = statistics;
	}

	// Join the queue of a device, to be left exactly once.
	Shared join(Devices devices, long context) {
		Shared shared;
		synchronized (this) {
			shared = this.byContext.computeIfAbsent(context, Shared::new);
			shared.users++;
		}
		try {
			shared.open(devices);
			return shared;
		}
		catch (RuntimeException | Error ex) {
			leave(shared);
			throw ex;
		}
	}

	private void leave(Shared shared) {
		synchronized (this) {
			shared.users--;
			if (shared.users > 0) {
				return;
			}
			this.byContext.remove(shared.context, shared);
		}
		shared.close();
	}

	/**
	 * Queue on one device with its buffers. Its monitor guards that it is made once.
	 */
	final class Shared {

		private final long context;

		private int users;

		private @Nullable DeviceLease device;

		private @Nullable MemoryBlock memory;

		private @Nullable SharedReceiveQueue queue;

		private @Nullable ReceiveBuffers buffers;

		private Shared(long context) {
			this.context = context;
		}

		synchronized SharedReceiveQueue queue() {
			return required(this.queue);
		}

		synchronized ReceiveBuffers buffers() {
			return required(this.buffers);
		}

		void leave() {
			SharedReceives.this.leave(this);
		}

		private synchronized void open(Devices devices) {
			if (this.buffers == null) {
				try {
					make(devices);
				}
				catch (RuntimeException | Error ex) {
					close();
					throw ex;
				}
			}
		}

		private void make(Devices devices) {
			DeviceLease device = devices.acquire(this.context);
			this.device = device;
			MemoryBlock memory = device.device()
				.memoryPool()
				.allocate(SharedReceives.this.size * SharedReceives.this.bufferSize);
			this.memory = memory;
			SharedReceives.this.statistics.registered(memory.length());
			SharedReceiveQueue queue = SharedReceiveQueue.create(device.device(), SharedReceives.this.size, 1);
			this.queue = queue;
			ReceiveBuffers buffers = new ReceiveBuffers(memory, SharedReceives.this.bufferSize,
					SharedReceives.this.size, queue::post, new OutstandingRequests(), true);
			buffers.postAll();
			this.buffers = buffers;
		}

		// The memory is lent again unless the queue is still there; the device is given
		// back in any case.
		private synchronized void close() {
			DeviceLease device = this.device;
			MemoryBlock memory = this.memory;
			SharedReceiveQueue queue = this.queue;
			this.device = null;
			this.memory = null;
			this.queue = null;
			this.buffers = null;
			try {
				if (queue != null) {
					queue.destroy();
				}
				if (memory != null) {
					memory.release();
					SharedReceives.this.statistics.deregistered(memory.length());
				}
			}
			finally {
				if (device != null) {
					device.release();
				}
			}
		}

		private static <T> T required(@Nullable T value) {
			if (value == null) {
				throw new IllegalStateException("The shared receive queue was not made");
			}
			return value;
		}

	}

}
