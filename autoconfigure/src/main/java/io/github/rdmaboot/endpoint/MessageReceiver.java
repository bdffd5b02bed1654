package io.github.rdmaboot.endpoint;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.rdmaboot.provider.CompletionOpcode;
import io.github.rdmaboot.provider.WorkCompletion;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receiving half of a connection: posted buffers, and the messages that arrived and have
 * not been taken, which stay in their buffers so that a slow reader slows the peer down.
 * <p>
 * One thread at a time hands messages on, which {@code turn} says, and one takes the
 * completions. With a message handler neither locks nor allocates. The monitor of this
 * object keeps apart those who take what is left when no more is handed on; no native
 * call but a post is made under it.
 */
final class MessageReceiver {

	private static final Logger logger = LoggerFactory.getLogger(MessageReceiver.class);

	/** The executor was given the task to hand messages on. */
	private static final int SCHEDULED = 1;

	/** A thread hands messages on. */
	private static final int DISPATCHING = 2;

	/** No more messages are handed on; what is there is kept in memory of Java's own. */
	private static final int RETIRED = 4;

	/** The buffers are to be given back when no handler reads them. */
	private static final int RELEASED = 8;

	private final ReceiveBuffers buffers;

	private final Runnable release;

	private final EndpointStatistics statistics;

	private final Executor executor;

	private final Supplier<@Nullable RdmaMessageHandler> handler;

	private final RdmaConnection connection;

	private final ArrivedMessages arrived;

	private final PendingReceives pending = new PendingReceives();

	private final AtomicInteger turn = new AtomicInteger();

	private final Runnable dispatch = this::dispatch;

	private final MessageHeaders headers;

	private @Nullable Supplier<RuntimeException> closed;

	/** The buffers were given back, so nothing may be read from them. */
	private boolean released;

	MessageReceiver(ReceiveBuffers buffers, Runnable release, EndpointStatistics statistics, Executor executor,
			Supplier<@Nullable RdmaMessageHandler> handler, RdmaConnection connection, MessageSettings settings,
			HeaderForm headers, @Nullable CreditGrants grants) {
		this.buffers = buffers;
		this.arrived = new ArrivedMessages(connection, buffers,
				settings.isFragmenting() ? new MessageFragments(settings.maxSize()) : null, grants);
		this.release = release;
		this.statistics = statistics;
		this.executor = executor;
		this.handler = handler;
		this.connection = connection;
		this.headers = new MessageHeaders(connection, settings, headers, buffers, grants);
	}

	// Take the completion of a receive that brought a message. A write with immediate
	// data takes a receive, but puts nothing into its buffer. It counts as outstanding
	// until its message is where those who destroy the connection look for it.
	void received(int slot, WorkCompletion completion) {
		try {
			take(slot, completion);
		}
		finally {
			this.buffers.completed();
		}
	}

	private void take(int slot, WorkCompletion completion) {
		boolean written = completion.opcode == CompletionOpcode.RECV_RDMA_WITH_IMM.value();
		boolean headed = this.headers.isUsed() && !written;
		if (headed && !this.headers.take(slot, completion)) {
			this.arrived.repost(slot);
			return;
		}
		int length = written ? 0 : completion.byteLength - this.headers.length();
		this.statistics.received(length);
		if (isRetired()) {
			// The connection could not wait for it.
			this.arrived.repost(slot);
			return;
		}
		this.arrived.put(slot, length, completion.hasImmediate() && !headed,
				headed ? this.headers.header(slot, completion) : completion.immediateData);
		if (isRetired()) {
			takeLate();
		}
		else {
			serve();
		}
	}

	private boolean isRetired() {
		return (this.turn.get() & RETIRED) != 0;
	}

	// What retired the receiver meanwhile may have missed what was put.
	private synchronized void takeLate() {
		if ((this.turn.get() & DISPATCHING) == 0) {
			keepAndRelease();
		}
	}

	// Take the completion of a receive that failed or was flushed.
	void failed(int slot) {
		this.arrived.check(this.buffers.failed(slot));
	}

	/**
	 * Hand on what has arrived, to the handler if there is one and to waiting futures
	 * otherwise.
	 */
	void serve() {
		if (!isAnyWanted() || !this.turn.compareAndSet(0, SCHEDULED)) {
			return;
		}
		try {
			this.executor.execute(this.dispatch);
		}
		catch (RuntimeException | Error ex) {
			this.turn.compareAndSet(SCHEDULED, 0);
			throw ex;
		}
	}

	CompletableFuture<byte[]> receive() {
		return receive(RdmaMessage::bytes);
	}

	CompletableFuture<RdmaMessage> receiveMessage() {
		return receive((message) -> message);
	}

	private <T> CompletableFuture<T> receive(Function<RdmaMessage, T> form) {
		CompletableFuture<T> future = this.pending.add(form);
		serve();
		return future;
	}

	// Return whether no handler is running and none is about to.
	boolean isIdle() {
		return (this.turn.get() & (SCHEDULED | DISPATCHING)) == 0;
	}

	// Keep what was not taken in memory of Java's own, and let go of the registered
	// memory as soon as no handler reads it. The device cannot write into it any more.
	void letGoOfMemory() {
		retire(RETIRED | RELEASED);
	}

	// Give what was not taken to those who wait, keep the rest for those who still ask,
	// and tell the others that no more comes.
	void close(Supplier<RuntimeException> reason) {
		retire(RETIRED);
		boolean ended;
		synchronized (this) {
			this.closed = reason;
			// A thread that gives messages to futures is about to find what it missed.
			ended = isIdle() || this.handler.get() != null;
		}
		if (ended) {
			this.pending.close(reason, this.executor);
		}
	}

	// A task that has not begun finds nothing to do.
	private synchronized void retire(int how) {
		int after = this.turn.updateAndGet((turn) -> (turn & ~SCHEDULED) | how);
		if ((after & DISPATCHING) == 0) {
			keepAndRelease();
		}
	}

	private void endTurn() {
		if (!this.turn.compareAndSet(DISPATCHING, 0)) {
			endLastTurn();
		}
	}

	private void endLastTurn() {
		Supplier<RuntimeException> reason;
		// Keeps the memory from being released by one thread while another one still
		// reads what is left in it.
		synchronized (this) {
			this.turn.getAndUpdate((turn) -> turn & ~DISPATCHING);
			keepAndRelease();
			reason = this.closed;
		}
		if (reason != null) {
			this.pending.close(reason, this.executor);
		}
	}

	private void keepAndRelease() {
		if (!this.released) {
			keep();
		}
		this.arrived.drop();
		if ((this.turn.get() & RELEASED) != 0) {
			this.released = true;
			this.release.run();
		}
	}

	private void keep() {
		try {
			while (this.arrived.isMessageThere()) {
				this.pending.keep(this.arrived.takeCopy());
			}
		}
		catch (RuntimeException | Error ex) {
			logger.warn("{}: messages that nobody had taken are lost", this.connection, ex);
		}
	}

	private boolean isAnyWanted() {
		return this.arrived.isAny() && (this.handler.get() != null || this.pending.isAny());
	}

	private void dispatch() {
		if (!this.turn.compareAndSet(SCHEDULED, DISPATCHING)) {
			return;
		}
		do {
			Taken taken = null;
			try {
				taken = handOn();
			}
			catch (RuntimeException | Error ex) {
				breakOff(ex);
			}
			finally {
				endTurn();
			}
			if (taken != null) {
				complete(taken);
				return;
			}
		}
		while (isAnyWanted() && this.turn.compareAndSet(0, DISPATCHING));
	}

	// Hand messages on to the handler. Without one, take a message for a future and
	// return both.
	private @Nullable Taken handOn() {
		while (this.turn.get() == DISPATCHING && this.arrived.isMessageThere()) {
			// Read for each message, so that a handler set meanwhile is seen.
			RdmaMessageHandler handler = this.handler.get();
			if (handler == null) {
				PendingReceive<?> next = this.pending.poll();
				return (next != null) ? take(next) : null;
			}
			this.arrived.handle(handler);
		}
		return null;
	}

	// Whatever went wrong, a message may be missing from now on, so there are no more.
	private void breakOff(Throwable error) {
		this.turn.getAndUpdate((turn) -> turn | RETIRED);
		this.connection.failed(new IllegalStateException(
				"A message could not be handed on (" + error.getClass().getName() + ")", error));
	}

	// What depends on a future may wait for the next message, so another thread goes on.
	private void complete(Taken taken) {
		try {
			serve();
		}
		finally {
			this.pending.complete(taken.receive(), taken.message());
		}
	}

	private Taken take(PendingReceive<?> next) {
		try {
			return new Taken(next, this.arrived.takeCopy());
		}
		catch (RuntimeException | Error ex) {
			next.fail(new IllegalStateException(
					"The message could not be copied (" + ex.getClass().getName() + "), the connection ends", ex));
			throw ex;
		}
	}

	/**
	 * Message that was taken for a future.
	 *
	 * @param receive the future
	 * @param message the message
	 */
	private record Taken(PendingReceive<?> receive, RdmaMessage message) {

	}

}
