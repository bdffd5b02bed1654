package io.github.rdmaboot.endpoint;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.ReceiveWorkRequest;
import io.github.rdmaboot.provider.WorkCompletion;
import io.github.rdmaboot.verbs.MemoryBlock;
import io.github.rdmaboot.verbs.QueuePair;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receiving half of a datagram endpoint: posted buffers, and a ring of those that hold a
 * datagram which the handler has not seen. A buffer is posted again when the handler
 * returns; what arrives while none is posted is lost.
 * <p>
 * The thread that takes completions writes the ring, the one thread that dispatches reads
 * it; {@code queued} hands a datagram from one to the other and {@code turn} makes sure
 * that it is one.
 */
final class DatagramReceiver {

	private static final Logger logger = LoggerFactory.getLogger(DatagramReceiver.class);

	/** The executor was given the task to hand datagrams on. */
	private static final int SCHEDULED = 1;

	/** A thread hands datagrams on. */
	private static final int DISPATCHING = 2;

	/**
	 * No more datagrams are handed on; the memory is given back when no handler reads.
	 */
	private static final int RETIRED = 4;

	private final QueuePair queuePair;

	private final Runnable release;

	private final OutstandingRequests outstanding;

	private final EndpointStatistics statistics;

	private final Executor executor;

	private final Supplier<@Nullable DatagramHandler> handler;

	private final Consumer<RuntimeException> failures;

	private final ReceiveWorkRequest[] requests;

	private final ReceivedDatagram[] datagrams;

	private final int[] ring;

	private final AtomicInteger queued = new AtomicInteger();

	private final AtomicInteger turn = new AtomicInteger();

	private final Runnable dispatch = this::dispatch;

	private int head;

	private int tail;

	DatagramReceiver(RdmaDatagramEndpoint endpoint, MemoryBlock memory, DatagramSlots layout, QueuePair queuePair,
			DatagramSenders senders, OutstandingRequests outstanding, Executor executor, Runnable release) {
		this.queuePair = queuePair;
		this.release = release;
		this.outstanding = outstanding;
		this.statistics = endpoint.statistics();
		this.executor = executor;
		this.handler = endpoint::handler;
		this.failures = endpoint::failed;
		this.ring = new int[layout.count()];
		this.requests = new ReceiveWorkRequest[layout.count()];
		this.datagrams = new ReceivedDatagram[layout.count()];
		for (int slot = 0; slot < layout.count(); slot++) {
			int offset = slot * layout.size();
			ReceiveWorkRequest request = new ReceiveWorkRequest(1);
			request.wrId = slot;
			request.addresses[0] = memory.address() + offset;
			request.lengths[0] = RoutingHeader.LENGTH + layout.mtu();
			request.lkeys[0] = memory.lkey();
			request.sgeCount = 1;
			this.requests[slot] = request;
			this.datagrams[slot] = new ReceivedDatagram(endpoint, senders, memory.memory(), offset, layout.mtu());
		}
	}

	/**
	 * Post all buffers; before anybody can learn of the queue pair.
	 */
	void postAll() {
		for (int slot = 0; slot < this.requests.length; slot++) {
			int errno = post(slot);
			if (errno != 0) {
				throw new RdmaException("ibv_post_recv", errno);
			}
		}
	}

	// Take the completion of a receive that brought a datagram. It counts as outstanding
	// until it is where those who destroy the endpoint look for it.
	void received(WorkCompletion completion) {
		try {
			take(completion);
		}
		finally {
			this.outstanding.completed();
		}
	}

	private void take(WorkCompletion completion) {
		int slot = (int) completion.wrId;
		this.statistics.received(completion.byteLength - RoutingHeader.LENGTH);
		this.datagrams[slot].arrived(completion);
		this.ring[this.tail] = slot;
		this.tail = next(this.tail);
		this.queued.incrementAndGet();
		serve();
	}

	/**
	 * Take the completion of a receive that failed or was flushed.
	 */
	void failed() {
		this.outstanding.completed();
	}

	/**
	 * Hand what has arrived to the handler, if there is one.
	 */
	void serve() {
		if (this.queued.get() > 0 && this.handler.get() != null && this.turn.compareAndSet(0, SCHEDULED)) {
			try {
				this.executor.execute(this.dispatch);
			}
			catch (RuntimeException | Error ex) {
				this.turn.compareAndSet(SCHEDULED, 0);
				throw ex;
			}
		}
	}

	// Return whether no handler is running and none is about to.
	boolean isIdle() {
		return (this.turn.get() & (SCHEDULED | DISPATCHING)) == 0;
	}

	// Hand nothing on any more, and let go of the memory as soon as no handler reads it.
	// The device cannot write into it any more. A task that has not begun finds nothing
	// to do.
	void letGoOfMemory() {
		int before = this.turn.getAndUpdate((turn) -> (turn & ~SCHEDULED) | RETIRED);
		if ((before & (DISPATCHING | RETIRED)) == 0) {
			this.release.run();
		}
	}

	private void dispatch() {
		if (!this.turn.compareAndSet(SCHEDULED, DISPATCHING)) {
			return;
		}
		try {
			DatagramHandler handler = this.handler.get();
			while (handler != null && this.queued.get() > 0 && this.turn.get() == DISPATCHING) {
				handleNext(handler);
				handler = this.handler.get();
			}
		}
		finally {
			if (this.turn.compareAndSet(DISPATCHING, 0)) {
				// For one that arrived since.
				serve();
			}
			else {
				this.turn.set(RETIRED);
				this.release.run();
			}
		}
	}

	private void handleNext(DatagramHandler handler) {
		int slot = this.ring[this.head];
		this.head = next(this.head);
		try {
			handle(handler, slot);
		}
		finally {
			this.queued.decrementAndGet();
			repost(slot);
		}
	}

	private void handle(DatagramHandler handler, int slot) {
		try {
			handler.onDatagram(this.datagrams[slot]);
		}
		catch (ConnectionClosedException ex) {
			// It wanted to answer while the endpoint was being destroyed.
			logger.debug("A datagram was not answered", ex);
		}
		catch (Exception | Error ex) {
			logger.warn("The handler of a datagram failed", ex);
		}
	}

	private void repost(int slot) {
		int errno = post(slot);
		if (errno != 0 && errno != Errno.ENOTCONN.value()) {
			this.failures.accept(new RdmaException("ibv_post_recv", errno));
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

	private int next(int index) {
		return (index + 1 < this.ring.length) ? index + 1 : 0;
	}

}
