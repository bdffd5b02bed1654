package io.github.rdmaboot.endpoint;

import java.util.HashMap;
import java.util.Map;

import io.github.rdmaboot.verbs.CompletionPolicy;
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
 * The monitor of this object guards the queues and the counts of their users and readers.
 * No native call is made under it.
 */
final class SharedReceives {

	private static final String PROPERTY = "shared-receive-queue.size";

	private final int size;

	private final MemorySettings settings;

	private final CompletionPolicy policy;

	private final EndpointStatistics statistics;

	private final Map<Long, Shared> byContext = new HashMap<>();

	SharedReceives(int size, MemorySettings settings, CompletionPolicy policy, EndpointStatistics statistics) {
		this.size = size;
		this.settings = settings;
		this.policy = policy;
		this.statistics = statistics;
	}

	// Join the queue of a device, to be left exactly once, and its memory, to be released
	// exactly once.
	Shared join(Devices devices, long context) {
		Shared shared;
		synchronized (this) {
			shared = this.byContext.computeIfAbsent(context, Shared::new);
			shared.users++;
			shared.readers++;
		}
		try {
			shared.open(devices);
			return shared;
		}
		catch (RuntimeException | Error ex) {
			try {
				leave(shared);
			}
			finally {
				release(shared);
			}
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

	// Let nobody join a queue any more, whose completions are not taken. The next one has
	// another made.
	private synchronized void forget(Shared shared) {
		this.byContext.remove(shared.context, shared);
	}

	private void release(Shared shared) {
		synchronized (this) {
			shared.readers--;
		}
		releaseUnread(shared);
	}

	// Lend the memory to others when neither the device nor a handler uses it any more.
	private void releaseUnread(Shared shared) {
		MemoryBlock memory;
		synchronized (this) {
			memory = shared.unused;
			if (memory == null || shared.readers > 0) {
				return;
			}
			shared.unused = null;
		}
		lendAgain(memory);
	}

	private void lendAgain(MemoryBlock memory) {
		memory.release();
		this.statistics.deregistered(memory.length());
	}

	/**
	 * Queue on one device with its buffers. Its monitor guards that it is made once, and
	 * is held while it is made or destroyed.
	 */
	final class Shared {

		private final long context;

		private int users;

		// Users, and handlers that have outlived the connections they were called for.
		private int readers;

		// Memory that the device does not use any more.
		private @Nullable MemoryBlock unused;

		private @Nullable DeviceLease device;

		private @Nullable MemoryBlock memory;

		private @Nullable SharedReceiveQueue queue;

		private @Nullable SharedCompletions completions;

		private @Nullable ReceiveBuffers buffers;

		private Shared(long context) {
			this.context = context;
		}

		synchronized SharedReceiveQueue queue() {
			return required(this.queue);
		}

		synchronized SharedCompletions completions() {
			return required(this.completions);
		}

		synchronized ReceiveBuffers buffers() {
			return required(this.buffers);
		}

		// Let go of the queue; the last one destroys it.
		void leave() {
			SharedReceives.this.leave(this);
		}

		// Let go of the memory, which no handler reads any more for the one who joined.
		void release() {
			SharedReceives.this.release(this);
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
			int bufferSize = SharedReceives.this.settings.bufferSize();
			HeaderForm headers = HeaderForm.of(SharedReceives.this.settings.messages(), device.device());
			MemoryBlock memory = device.device()
				.memoryPool()
				.allocate(ReceiveBuffers.size(bufferSize, headers, SharedReceives.this.size));
			this.memory = memory;
			SharedReceives.this.statistics.registered(memory.length());
			SharedReceiveQueue queue = QueueRefusal.explaining(
					() -> SharedReceiveQueue.create(device.device(), SharedReceives.this.size, 1),
					SharedReceives.this.size, PROPERTY);
			this.queue = queue;
			ReceiveBuffers buffers = new ReceiveBuffers(memory, bufferSize, headers, SharedReceives.this.size,
					queue::post, new OutstandingRequests(), true);
			this.completions = QueueRefusal.explaining(
					() -> new SharedCompletions(device.device(), SharedReceives.this.policy, buffers,
							SharedReceives.this.statistics, () -> SharedReceives.this.forget(this)),
					SharedReceives.this.size, PROPERTY);
			buffers.postAll();
			this.buffers = buffers;
		}

		// The memory may be lent again unless the queue is still there; the device is
		// given back in any case.
		private synchronized void close() {
			DeviceLease device = this.device;
			MemoryBlock memory = this.memory;
			SharedReceiveQueue queue = this.queue;
			SharedCompletions completions = this.completions;
			boolean neverRead = this.buffers == null;
			this.device = null;
			this.memory = null;
			this.queue = null;
			this.completions = null;
			this.buffers = null;
			try {
				try {
					if (completions != null) {
						completions.queue().close();
					}
				}
				finally {
					if (queue != null) {
						queue.destroy();
					}
				}
				if (memory != null && neverRead) {
					lendAgain(memory);
				}
				else if (memory != null) {
					synchronized (SharedReceives.this) {
						this.unused = memory;
					}
					releaseUnread(this);
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
