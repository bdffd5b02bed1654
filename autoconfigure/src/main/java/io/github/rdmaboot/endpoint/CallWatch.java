package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.github.rdmaboot.endpoint.destroy.CallInProgress;
import io.github.rdmaboot.provider.Errno;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the calls of one attempt to connect or to accept, each with its limit. A native
 * call cannot be interrupted, and one that should return at once may wait for the network
 * all the same: on iWARP {@code rdma_connect} connects the TCP connection first. One that
 * passes its limit, or that a destroy does not wait for any longer, is left behind with
 * its thread; then another thread takes that one's place in its pool, and whoever waits
 * for the attempt is told at once. The next call of that thread, if it comes back, is
 * watched in the same way, but nobody waits for it any more and so nobody is told.
 * <p>
 * The calls are made one after the other by one thread. The monitor of this object guards
 * which one is being made and what was left behind.
 */
final class CallWatch {

	private static final Logger logger = LoggerFactory.getLogger(CallWatch.class);

	private final EndpointRuntime runtime;

	private final Executor pool;

	private final String endpoint;

	private final String address;

	private final Consumer<RdmaEndpointException> overdueListener;

	private @Nullable Call current;

	/** Whether the listener has been told, which it is of the first call alone. */
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
		Call current = begin(new Call(call, what));
		try {
			ScheduledFuture<?> timer = this.runtime.scheduler()
				.schedule(() -> leaveBehind(current), limit.toNanos(), TimeUnit.NANOSECONDS);
			try {
				work.run();
			}
			finally {
				timer.cancel(false);
			}
		}
		finally {
			end(current);
		}
	}

	// Whether a call was left behind, so that the listener has the say.
	synchronized boolean isOverdue() {
		return this.overdue;
	}

	// Return what leaves a thread behind in the call that it is making now, if that is
	// watched, and in no other call that it makes later.
	static Runnable givingUp(Thread thread) {
		CallWatch watch = WorkerPool.watchOf(thread);
		Call current = (watch != null) ? watch.current() : null;
		return () -> {
			if (watch != null && current != null) {
				watch.leaveBehind(current);
			}
		};
	}

	// Leave a thread behind in the call that it is making, if that is watched and has
	// taken some time.
	static void giveUp(Thread thread, Duration atLeast) {
		CallWatch watch = WorkerPool.watchOf(thread);
		Call current = (watch != null) ? watch.current() : null;
		if (watch != null && current != null && current.elapsed().compareTo(atLeast) >= 0) {
			watch.leaveBehind(current);
		}
	}

	private synchronized @Nullable Call current() {
		return this.current;
	}

	private synchronized Call begin(Call call) {
		this.current = call;
		WorkerPool.watch(call.thread, this);
		return call;
	}

	private synchronized void end(Call call) {
		this.current = null;
		WorkerPool.watch(call.thread, null);
		if (call.leftBehind) {
			WorkerPool.returned(call.thread);
		}
	}

	// A thread that came back from a call may be left behind in the next one as well.
	private void leaveBehind(Call call) {
		boolean told;
		synchronized (this) {
			if (call != this.current || call.leftBehind) {
				return;
			}
			call.leftBehind = true;
			WorkerPool.leaveBehind(call.thread);
			told = this.overdue;
			this.overdue = true;
		}
		RdmaEndpointException failure = failure(call);
		if (told) {
			logger.warn("The attempt had been given up when another call did not return: {}", failure.getMessage());
			return;
		}
		try {
			this.pool.execute(() -> this.overdueListener.accept(failure));
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			// Stopped meanwhile, or no thread could be started: better on this one than
			// not at all.
			logger.debug("{}; no thread of its own tells of it", failure.getMessage(), ex);
			this.overdueListener.accept(failure);
		}
	}

	private RdmaEndpointException failure(Call call) {
		String function = CallInProgress.function(call.thread, call.function);
		// Words for what some calls do together say more than the one that is stuck.
		String what = call.what.equals(call.function) ? function : call.what;
		return new RdmaEndpointException(this.endpoint, this.address, function, Errno.ETIMEDOUT.value(),
				what + " did not return within " + call.elapsed().toMillis()
						+ " ms (ETIMEDOUT) and is left behind with thread '" + call.thread.getName() + "'",
				null);
	}

	/**
	 * Call that is being made by the thread that made this.
	 */
	private static final class Call {

		private final Thread thread = Thread.currentThread();

		private final long beganAt = System.nanoTime();

		private final String function;

		private final String what;

		private boolean leftBehind;

		// The function is the C function, and what the call in words.
		private Call(String function, String what) {
			this.function = function;
			this.what = what;
		}

		private Duration elapsed() {
			return Duration.ofNanos(System.nanoTime() - this.beganAt);
		}

	}

}
