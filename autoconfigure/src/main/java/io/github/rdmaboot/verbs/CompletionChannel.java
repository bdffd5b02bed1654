package io.github.rdmaboot.verbs;

import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.github.rdmaboot.provider.PollingThread;
import io.github.rdmaboot.provider.RdmaProvider;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Completion channel of a device with the one thread that serves all its queues. Each
 * event is acknowledged as soon as it is fetched, so a queue can be destroyed at any
 * time.
 * <p>
 * With a spin time, the queue of an event is polled until it has been silent for that
 * long, and armed only then. The array of such queues belongs to the thread.
 */
final class CompletionChannel implements CompletionPoller {

	private static final Logger logger = LoggerFactory.getLogger(CompletionChannel.class);

	/** How many rounds of polling pass between two looks for events of other queues. */
	private static final int ROUNDS = 16;

	/** How long to look for no events when none would lead to anything. */
	private static final long PAUSE_NANOS = Duration.ofMillis(10).toNanos();

	private final RdmaProvider provider;

	private final long handle;

	private final long spinNanos;

	private final PollingThread thread;

	private final QueueTable queues = new QueueTable();

	private final SpinningQueues spinning = new SpinningQueues();

	private final SpinWait spinWait = new SpinWait();

	/** First of the queues in which completions were left. */
	private final AtomicReference<@Nullable CompletionQueue> left = new AtomicReference<>();

	private int rounds;

	private CompletionChannel(RdmaProvider provider, long handle, Duration spinTime, ThreadFactory threads) {
		this.provider = provider;
		this.handle = handle;
		this.spinNanos = spinTime.toNanos();
		this.thread = PollingThread.waiting(provider, threads, this::serve);
	}

	static CompletionChannel open(RdmaProvider provider, long context, Duration spinTime, ThreadFactory threads) {
		long handle = provider.ibvCreateCompChannel(context);
		try {
			CompletionChannel channel = new CompletionChannel(provider, handle, spinTime, threads);
			channel.thread.start();
			return channel;
		}
		catch (RuntimeException | Error ex) {
			provider.ibvDestroyCompChannel(handle);
			throw ex;
		}
	}

	@Override
	public long channel() {
		return this.handle;
	}

	@Override
	public void attach(CompletionQueue queue) {
		this.queues.add(queue);
		LockSupport.unpark(this.thread.thread());
		queue.arm();
	}

	@Override
	public void detach(CompletionQueue queue) {
		this.queues.remove(queue);
	}

	@Override
	public void closes(CompletionQueue queue) {
		this.queues.closes(queue);
	}

	@Override
	public void goOn(CompletionQueue queue) {
		if (!queue.markLeft()) {
			return;
		}
		CompletionQueue first;
		do {
			first = this.left.get();
			queue.nextLeft = first;
		}
		while (!this.left.compareAndSet(first, queue));
		if (Thread.currentThread() != this.thread.thread()) {
			this.thread.wake();
			LockSupport.unpark(this.thread.thread());
		}
	}

	@Override
	public void end() {
		this.thread.end();
	}

	@Override
	public void close(Duration timeout) {
		Thread thread = this.thread.thread();
		// It may be the thread's own handler that waits for this.
		boolean handling = CompletionThread.isHandling(thread);
		if (!this.thread.close(handling ? Duration.ZERO : timeout, this::destroy) && !handling) {
			throw new IllegalStateException("Thread '" + thread.getName()
					+ "' did not end in time; its completion channel is left until it ends");
		}
	}

	// If the thread does it as its last act, the last id of the device has been destroyed
	// without waiting for that, and the context may be gone.
	private void destroy() {
		if (Thread.currentThread() == this.thread.thread()) {
			this.provider.closeCompletionChannel(this.handle);
		}
		else {
			this.provider.ibvDestroyCompChannel(this.handle);
		}
	}

	private void serve(long waker, int timeoutMillis) {
		boolean left = this.left.get() != null;
		if (left) {
			serveLeft();
		}
		if (!this.spinning.isEmpty()) {
			spin();
		}
		else if (left) {
			serveEvents();
		}
		else if (this.provider.awaitCqEvent(this.handle, waker, timeoutMillis)) {
			serveUnlessClosing();
		}
	}

	// A shutdown destroys all queues at once, each with an event of its flushed receives.
	// The kernel drops those with their queues, and does not count them, for they were
	// not fetched; to fetch and acknowledge them would be two calls for each connection.
	private void serveUnlessClosing() {
		if (this.queues.expectNothing()) {
			LockSupport.parkNanos(PAUSE_NANOS);
		}
		else {
			serveEvents();
		}
	}

	private void spin() {
		boolean taken = this.spinning.poll(System.nanoTime(), this.spinNanos);
		if (++this.rounds % ROUNDS == 0) {
			serveEvents();
		}
		if (!taken) {
			this.spinWait.pause();
		}
	}

	// Each of them may be left again meanwhile, for the next round. What is behind one
	// that fails is left again, for nothing else would ever lead to it.
	private void serveLeft() {
		CompletionQueue queue = this.left.getAndSet(null);
		try {
			while (queue != null) {
				CompletionQueue current = queue;
				queue = fetched(current);
				if (current.isMoreExpected()) {
					serve(current);
				}
			}
		}
		finally {
			while (queue != null) {
				CompletionQueue current = queue;
				queue = fetched(current);
				goOn(current);
			}
		}
	}

	// Take a queue off the list and return the next one.
	private static @Nullable CompletionQueue fetched(CompletionQueue queue) {
		CompletionQueue next = queue.nextLeft;
		queue.nextLeft = null;
		queue.fetched();
		return next;
	}

	// As a rule a queue has one event at most, so counting saves the call that finds
	// none.
	private void serveEvents() {
		int most = Math.max(1, this.queues.size());
		for (int i = 0; i < most; i++) {
			long cq = this.provider.ibvGetCqEvent(this.handle);
			if (cq == 0) {
				return;
			}
			CompletionQueue queue = this.queues.find(cq);
			acknowledge(cq, queue);
			if (queue != null && queue.isMoreExpected()) {
				serve(queue);
			}
		}
	}

	// The queue is served all the same, for it has no other event, and acknowledges this
	// one before its destroy would wait for it.
	private void acknowledge(long cq, @Nullable CompletionQueue queue) {
		try {
			this.provider.ibvAckCqEvents(cq, 1);
		}
		catch (RuntimeException | Error ex) {
			logger.warn("An event of a completion queue could not be acknowledged", ex);
			if (queue != null) {
				queue.owesAcknowledgement();
			}
		}
	}

	private void serve(CompletionQueue queue) {
		if (this.spinNanos == 0) {
			queue.armAndTake();
		}
		else {
			queue.take();
			this.spinning.add(queue, System.nanoTime());
		}
	}

}
