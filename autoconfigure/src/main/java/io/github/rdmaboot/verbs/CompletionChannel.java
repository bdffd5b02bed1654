package io.github.rdmaboot.verbs;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

import io.github.rdmaboot.provider.RdmaProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Completion channel of a device with the one thread that serves all its completion
 * queues. Each event is acknowledged as soon as it is fetched, so a queue can be
 * destroyed at any time. The map of queues may be used by any thread.
 */
final class CompletionChannel {

	private static final Logger logger = LoggerFactory.getLogger(CompletionChannel.class);

	/**
	 * Bounds the wait so that a lost wake-up delays the end of the thread and no more.
	 */
	private static final int TICK_MILLIS = 250;

	private final RdmaProvider provider;

	private final long handle;

	private final long waker;

	private final Thread thread;

	private final Map<Long, CompletionQueue> queues = new ConcurrentHashMap<>();

	private volatile boolean closing;

	private CompletionChannel(RdmaProvider provider, long handle, long waker, String threadName) {
		this.provider = provider;
		this.handle = handle;
		this.waker = waker;
		this.thread = new CompletionThread(this::run, threadName);
	}

	static CompletionChannel open(RdmaProvider provider, long context, String threadName) {
		long waker = provider.createWaker();
		long handle;
		try {
			handle = provider.ibvCreateCompChannel(context);
		}
		catch (RuntimeException ex) {
			provider.destroyWaker(waker);
			throw ex;
		}
		CompletionChannel channel = new CompletionChannel(provider, handle, waker, threadName);
		try {
			channel.thread.start();
		}
		catch (OutOfMemoryError ex) {
			provider.ibvDestroyCompChannel(handle);
			provider.destroyWaker(waker);
			throw ex;
		}
		return channel;
	}

	long handle() {
		return this.handle;
	}

	void attach(long cq, CompletionQueue queue) {
		this.queues.put(cq, queue);
	}

	void detach(long cq) {
		this.queues.remove(cq);
	}

	// End the thread and destroy the channel.
	void close(Duration timeout) {
		endThread();
		this.provider.wake(this.waker);
		try {
			this.thread.join(Math.max(1, timeout.toMillis()));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		if (this.thread.isAlive()) {
			throw new IllegalStateException("Thread '" + this.thread.getName() + "' did not end within " + timeout
					+ "; its completion channel is left to the end of the process");
		}
		this.provider.ibvDestroyCompChannel(this.handle);
		this.provider.destroyWaker(this.waker);
	}

	// Takes effect within a tick: waking the thread may be the very call that is stuck.
	void endThread() {
		this.closing = true;
	}

	private void run() {
		String lastProblem = "";
		while (!this.closing) {
			try {
				if (this.provider.awaitCqEvent(this.handle, this.waker, TICK_MILLIS)) {
					serveEvents();
				}
				lastProblem = "";
			}
			catch (RuntimeException | Error ex) {
				String problem = String.valueOf(ex.getMessage());
				if (!problem.equals(lastProblem)) {
					logger.warn("Completion channel of thread '{}' could not serve an event and goes on",
							this.thread.getName(), ex);
				}
				lastProblem = problem;
				LockSupport.parkNanos(Duration.ofMillis(TICK_MILLIS).toNanos());
			}
		}
	}

	private void serveEvents() {
		long cq = this.provider.ibvGetCqEvent(this.handle);
		while (cq != 0) {
			this.provider.ibvAckCqEvents(cq, 1);
			CompletionQueue queue = this.queues.get(cq);
			if (queue != null) {
				queue.onEvent();
			}
			cq = this.provider.ibvGetCqEvent(this.handle);
		}
	}

}
