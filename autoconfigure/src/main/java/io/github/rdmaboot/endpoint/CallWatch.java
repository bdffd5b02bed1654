package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.github.rdmaboot.provider.Errno;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the calls of one attempt to connect or to accept, each with its limit. A native
 * call cannot be interrupted, and one that should return at once may wait for the network
 * all the same: on iWARP {@code rdma_connect} connects the TCP connection first. One that
 * passes its limit is left behind with its thread; then another thread takes that one's
 * place in its pool, and whoever waits for the attempt is told at once.
 * <p>
 * The calls are made one after the other by one thread. The monitor of this object guards
 * whether one is being made.
 */
final class CallWatch {

	private static final Logger logger = LoggerFactory.getLogger(CallWatch.class);

	private final EndpointRuntime runtime;

	private final Executor pool;

	private final String endpoint;

	private final String address;

	private final Consumer<RdmaEndpointException> overdueListener;

	private long calls;

	private boolean inside;

	private boolean overdue;

	// The listener is called once at most, on a thread of the pool.
	CallWatch(EndpointRuntime runtime, Executor pool, String endpoint, String address,
			Consumer<RdmaEndpointException> overdueListener) {
		this.runtime = runtime;
		this.pool = pool;
		this.endpoint = endpoint;
		this.address = address;
		this.overdueListener = overdueListener;
	}

	void during(String call, Duration limit, Runnable work) {
		during(call, call, limit, work);
	}

	// Make a call, or some that what they do together names. If the limit passes
	// meanwhile, this throws after they have returned: nobody waits for the attempt then.
	void during(String call, String what, Duration limit, Runnable work) {
		watch(call, what, limit, work);
		if (isOverdue()) {
			throw new ConnectionClosedException(what + " returned when the attempt had been given up", null);
		}
	}

	// The same without the exception, for the last call of an attempt.
	void watch(String call, String what, Duration limit, Runnable work) {
		Thread thread = Thread.currentThread();
		long number = begin();
		try {
			ScheduledFuture<?> timer = this.runtime.scheduler()
				.schedule(() -> limitPassed(number, thread, call, what, limit), limit.toNanos(), TimeUnit.NANOSECONDS);
			try {
				work.run();
			}
			finally {
				timer.cancel(false);
			}
		}
		finally {
			end(thread);
		}
	}

	// Whether a call passed its limit, so that the listener has the say.
	synchronized boolean isOverdue() {
		return this.overdue;
	}

	private synchronized long begin() {
		this.inside = true;
		return ++this.calls;
	}

	private synchronized void end(Thread thread) {
		this.inside = false;
		if (this.overdue) {
			WorkerPool.returned(thread);
		}
	}

	private void limitPassed(long number, Thread thread, String call, String what, Duration limit) {
		synchronized (this) {
			if (!this.inside || this.calls != number) {
				return;
			}
			this.overdue = true;
			WorkerPool.leaveBehind(thread);
		}
		RdmaEndpointException failure = new RdmaEndpointException(this.endpoint, this.address, call,
				Errno.ETIMEDOUT.value(), what + " did not return within " + limit.toMillis()
						+ " ms (ETIMEDOUT) and is left behind with thread '" + thread.getName() + "'",
				null);
		try {
			this.pool.execute(() -> this.overdueListener.accept(failure));
		}
		catch (RejectedExecutionException ex) {
			logger.debug("{}; the endpoints are being stopped", failure.getMessage(), ex);
		}
		catch (OutOfMemoryError ex) {
			// No thread could be started: better on the timer's than not at all.
			this.overdueListener.accept(failure);
		}
	}

}
