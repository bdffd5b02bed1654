package io.github.rdmaboot.endpoint;

import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import com.sun.management.ThreadMXBean;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import io.github.rdmaboot.verbs.CompletionMode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Counts what operations allocate in steady state, on the thread that posts and on those
 * that take the completions of both sides, the loopback included.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class LoopbackAllocationTests {

	private static final int WARM_UP = 5_000;

	private static final int WINDOWS = 10;

	private static final int MEASURED = 5_000;

	/**
	 * Half of the smallest object for each operation: what an operation allocates is more
	 * than that. Now and then a lock of the loopback allocates that two threads want at
	 * once, which has nothing to do with the endpoints.
	 */
	private static final int UNRELATED = 8 * MEASURED;

	private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	private ConnectedPair pair;

	private RegisteredMemory local;

	private RemoteMemory remote;

	/** Written by the one thread that receives. */
	private volatile long received;

	private volatile Thread receiving = Thread.currentThread();

	private void connect(MessageSettings messages) throws Exception {
		connect(LoopbackFabrics.with("192.0.2.1"), messages);
	}

	private void connect(LoopbackFabric fabric, MessageSettings messages) throws Exception {
		MemorySettings memory = new MemorySettings(4096, 8, messages);
		this.pair = ConnectedPair.connectUnchecked(() -> new LoopbackRdmaProvider(fabric), "192.0.2.1", memory,
				CompletionSettings.of(CompletionMode.POLL, HandlerThread.COMPLETION_THREAD));
		this.local = this.pair.client().memory().allocate(4096, RemoteAccess.READ);
		this.remote = this.pair.server()
			.memory()
			.allocate(4096, RemoteAccess.READ, RemoteAccess.WRITE, RemoteAccess.ATOMIC)
			.remote();
	}

	@AfterEach
	void close() {
		this.pair.close();
	}

	@ParameterizedTest
	@EnumSource
	void operationsAllocateNothing(Operation operation) throws Exception {
		connect(MessageSettings.defaults());
		expectNoAllocation(operation);
	}

	@Test
	void messagesAndGrantsWithHeadersInFrontOfTheContentAllocateNothing() throws Exception {
		connect(LoopbackFabrics.withoutImmediateData("192.0.2.1"),
				new MessageSettings(OversizedMessages.REJECT, 4096, FlowControl.CREDITS));
		expectNoAllocation(Operation.MESSAGE);
	}

	@ParameterizedTest
	@EnumSource(names = { "SEND", "MESSAGE" })
	void messagesAndGrantsOfCreditsAllocateNothing(Operation operation) throws Exception {
		connect(new MessageSettings(OversizedMessages.REJECT, 4096, FlowControl.CREDITS));
		expectNoAllocation(operation);
	}

	private void expectNoAllocation(Operation operation) {
		RdmaOperations operations = this.pair.client().operations();
		WorkBatch batch = operations.batch(4)
			.write(this.local, 0, this.remote, 0, 64)
			.write(this.local, 64, this.remote, 64, 64)
			.read(this.local, 128, this.remote, 0, 64)
			.fetchAndAdd(this.remote, 512, 1);
		Waiter waiter = new Waiter();
		this.pair.onMessageOfServer((connection, message) -> {
			this.receiving = Thread.currentThread();
			this.received += message.get(0);
		});
		run(operation, operations, batch, waiter, WARM_UP);
		Thread completions = waiter.lastThread();
		Thread receiving = this.receiving;
		long least = Long.MAX_VALUE;
		for (int window = 0; window < WINDOWS && least >= UNRELATED; window++) {
			long before = allocated(Thread.currentThread()) + allocated(completions) + allocated(receiving);
			run(operation, operations, batch, waiter, MEASURED);
			long bytes = allocated(Thread.currentThread()) + allocated(completions) + allocated(receiving) - before;
			least = Math.min(least, bytes);
		}
		assertThat(waiter.lastThread()).as("one thread takes the completions").isSameAs(completions);
		assertThat(least)
			.as("bytes allocated by %d operations in the best of at most %d windows (%.3f each)", MEASURED, WINDOWS,
					(double) least / MEASURED)
			.isLessThan(UNRELATED);
	}

	private void run(Operation operation, RdmaOperations operations, WorkBatch batch, Waiter waiter, int count) {
		ByteBuffer message = ByteBuffer.allocate(64).put(0, (byte) 1);
		this.local.data().put(0, (byte) 1);
		SendCallback sent = (error) -> waiter.completed(0, error);
		for (int i = 0; i < count; i++) {
			long expected = this.received + 1;
			waiter.begin();
			switch (operation) {
				case WRITE -> operations.write(this.local, 0, this.remote, 0, 64, waiter);
				case READ -> operations.read(this.local, 0, this.remote, 0, 64, waiter);
				case FETCH_AND_ADD -> operations.fetchAndAdd(this.remote, 512, 1, waiter);
				case BATCH -> batch.post(waiter);
				case SEND -> operations.send(this.local, 0, 64, waiter);
				case MESSAGE -> this.pair.client().send(message.clear(), sent);
			}
			waiter.await();
			while (operation.isReceived() && this.received < expected) {
				Thread.yield();
			}
		}
	}

	private long allocated(Thread thread) {
		return this.threads.getThreadAllocatedBytes(thread.getId());
	}

	enum Operation {

		WRITE, READ, FETCH_AND_ADD, BATCH, SEND, MESSAGE;

		boolean isReceived() {
			return this == SEND || this == MESSAGE;
		}

	}

	/**
	 * Callback that is used again and again.
	 */
	private static final class Waiter implements OperationCallback {

		private final Thread poster = Thread.currentThread();

		private final AtomicReference<@Nullable RuntimeException> error = new AtomicReference<>();

		private volatile boolean done;

		private volatile Thread completions = this.poster;

		@Override
		public void completed(long result, @Nullable RuntimeException error) {
			this.error.set(error);
			this.completions = Thread.currentThread();
			this.done = true;
			LockSupport.unpark(this.poster);
		}

		private void begin() {
			this.done = false;
		}

		private void await() {
			while (!this.done) {
				LockSupport.park(this);
			}
			RuntimeException error = this.error.get();
			if (error != null) {
				throw error;
			}
		}

		private Thread lastThread() {
			return this.completions;
		}

	}

}
