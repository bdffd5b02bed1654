package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.ReceiveWorkRequest;
import io.github.rdmaboot.verbs.MemoryBlock;
import io.github.rdmaboot.verbs.QueuePair;
import org.jspecify.annotations.Nullable;

/**
 * Receiving half of a connection: posted buffers, and the messages that arrived and have
 * not been taken, which stay in their buffers so that a slow reader slows the peer down.
 * <p>
 * The monitor of {@code inbox} guards the messages, the waiting futures and the flags.
 */
final class MessageReceiver {

	private final MemoryBlock memory;

	private final ByteBuffer bytes;

	private final int bufferSize;

	private final QueuePair queuePair;

	private final OutstandingRequests outstanding;

	private final EndpointStatistics statistics;

	private final Executor executor;

	private final Supplier<@Nullable RdmaMessageHandler> handler;

	private final RdmaConnection connection;

	private final ReceiveWorkRequest[] requests;

	private final Deque<Received> inbox = new ArrayDeque<>();

	private final Deque<byte[]> leftOver = new ArrayDeque<>();

	private final Deque<CompletableFuture<byte[]>> waiting = new ArrayDeque<>();

	private boolean dispatching;

	private boolean memoryGone;

	private @Nullable RuntimeException closed;

	MessageReceiver(MemoryBlock memory, int bufferSize, int count, QueuePair queuePair, OutstandingRequests outstanding,
			EndpointStatistics statistics, Executor executor, Supplier<@Nullable RdmaMessageHandler> handler,
			RdmaConnection connection) {
		this.memory = memory;
		this.bytes = memory.memory();
		this.bufferSize = bufferSize;
		this.queuePair = queuePair;
		this.outstanding = outstanding;
		this.statistics = statistics;
		this.executor = executor;
		this.handler = handler;
		this.connection = connection;
		this.requests = new ReceiveWorkRequest[count];
		for (int slot = 0; slot < count; slot++) {
			ReceiveWorkRequest request = new ReceiveWorkRequest(1);
			request.wrId = slot;
			request.addresses[0] = memory.address() + (long) slot * bufferSize;
			request.lengths[0] = bufferSize;
			request.lkeys[0] = memory.lkey();
			request.sgeCount = 1;
			this.requests[slot] = request;
		}
	}

	/**
	 * Post all buffers; before connecting or accepting, so that no message finds none.
	 */
	void postAll() {
		for (int slot = 0; slot < this.requests.length; slot++) {
			int errno = post(slot);
			if (errno != 0) {
				throw new RdmaException("ibv_post_recv", errno);
			}
		}
	}

	// Take the completion of a receive that brought a message.
	void received(int slot, int length) {
		this.outstanding.completed();
		this.statistics.received(length);
		synchronized (this.inbox) {
			// Its bytes are not there any more if the connection could not wait for it.
			if (!this.memoryGone) {
				this.inbox.add(new Received(slot, length));
			}
		}
		serve();
	}

	/**
	 * Take the completion of a receive that failed or was flushed.
	 */
	void failed() {
		this.outstanding.completed();
	}

	/**
	 * Hand on what has arrived, to the handler if there is one and to waiting futures
	 * otherwise.
	 */
	void serve() {
		synchronized (this.inbox) {
			if (this.dispatching || this.inbox.isEmpty() || (this.handler.get() == null && this.waiting.isEmpty())) {
				return;
			}
			this.dispatching = true;
		}
		try {
			this.executor.execute(this::dispatch);
		}
		catch (RuntimeException | Error ex) {
			synchronized (this.inbox) {
				endDispatch();
			}
			throw ex;
		}
	}

	CompletableFuture<byte[]> receive() {
		CompletableFuture<byte[]> future = new CompletableFuture<>();
		synchronized (this.inbox) {
			byte[] left = this.leftOver.poll();
			if (left != null) {
				future.complete(left);
				return future;
			}
			if (this.closed != null) {
				future.completeExceptionally(this.closed);
				return future;
			}
			this.waiting.add(future);
		}
		serve();
		return future;
	}

	// Return whether no handler is running and none is about to.
	boolean isIdle() {
		synchronized (this.inbox) {
			return !this.dispatching;
		}
	}

	// Keep what was not taken in memory of Java's own, and give the registered memory
	// back as soon as no handler reads it. The device cannot write into it any more.
	void letGoOfMemory() {
		synchronized (this.inbox) {
			this.memoryGone = true;
			for (Received message = this.inbox.poll(); message != null; message = this.inbox.poll()) {
				this.leftOver.add(copy(message));
			}
			if (!this.dispatching) {
				this.memory.release();
			}
		}
	}

	// Give what was not taken to those who wait, keep the rest for those who still ask,
	// and tell the others that no more comes.
	void close(RuntimeException reason) {
		Deque<CompletableFuture<byte[]>> untold;
		Map<CompletableFuture<byte[]>, byte[]> served = new LinkedHashMap<>();
		synchronized (this.inbox) {
			if (this.closed != null) {
				return;
			}
			this.closed = reason;
			this.waiting.removeIf(CompletableFuture::isDone);
			for (Received message = this.inbox.poll(); message != null; message = this.inbox.poll()) {
				this.leftOver.add(copy(message));
			}
			while (!this.waiting.isEmpty() && !this.leftOver.isEmpty()) {
				served.put(this.waiting.remove(), this.leftOver.remove());
			}
			untold = new ArrayDeque<>(this.waiting);
			this.waiting.clear();
		}
		served.forEach((future, message) -> this.executor.execute(() -> complete(future, message)));
		untold.forEach((future) -> this.executor.execute(() -> future.completeExceptionally(reason)));
	}

	private void dispatch() {
		while (true) {
			Received message;
			RdmaMessageHandler handler;
			CompletableFuture<byte[]> future = null;
			synchronized (this.inbox) {
				// Read here, so that a handler set meanwhile is either seen or starts
				// anew.
				handler = this.handler.get();
				if (handler == null) {
					this.waiting.removeIf(CompletableFuture::isDone);
					future = this.inbox.isEmpty() ? null : this.waiting.poll();
				}
				message = (handler != null || future != null) ? this.inbox.poll() : null;
				if (message == null) {
					endDispatch();
					return;
				}
			}
			if (handler != null) {
				handle(handler, message);
			}
			else if (future != null) {
				byte[] bytes = copy(message);
				repost(message.slot);
				goOnElsewhere();
				complete(future, bytes);
				return;
			}
		}
	}

	// What depends on a future may wait for the next message.
	private void goOnElsewhere() {
		synchronized (this.inbox) {
			endDispatch();
		}
		serve();
	}

	// Called under the monitor.
	private void endDispatch() {
		this.dispatching = false;
		if (this.memoryGone) {
			this.memory.release();
		}
	}

	// A future that was cancelled meanwhile leaves its message to the next.
	private void complete(CompletableFuture<byte[]> first, byte[] message) {
		CompletableFuture<byte[]> future = first;
		while (future != null && !future.complete(message)) {
			synchronized (this.inbox) {
				future = this.waiting.poll();
				if (future == null) {
					this.leftOver.add(message);
				}
			}
		}
	}

	private void handle(RdmaMessageHandler handler, Received message) {
		try {
			handler.onMessage(this.connection, slice(message));
		}
		catch (Exception | Error ex) {
			this.connection.handlerFailed(ex);
		}
		repost(message.slot);
	}

	private void repost(int slot) {
		int errno = post(slot);
		if (errno != 0 && errno != Errno.ENOTCONN.value()) {
			this.connection.failed(new RdmaException("ibv_post_recv", errno));
		}
	}

	private int post(int slot) {
		this.outstanding.posted();
		int errno = this.queuePair.postReceive(this.requests[slot]);
		if (errno != 0) {
			this.outstanding.completed();
		}
		return errno;
	}

	private ByteBuffer slice(Received message) {
		return this.bytes.slice(message.slot * this.bufferSize, message.length).asReadOnlyBuffer();
	}

	private byte[] copy(Received message) {
		byte[] bytes = new byte[message.length];
		slice(message).get(bytes);
		return bytes;
	}

	private record Received(int slot, int length) {

	}

}
