package io.github.rdmaboot.provider;

import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Thread that goes round in a loop until it is told to end, each round waiting for events
 * and serving them. A round that fails is logged, once for each reason in a row, and
 * followed by the next after a pause. Any thread may start and end it.
 * <p>
 * The monitor of this object guards what is freed behind the thread.
 */
public final class PollingThread {

	private static final Logger logger = LoggerFactory.getLogger(PollingThread.class);

	/**
	 * Bounds the wait so that a lost wake-up delays the end of the thread and no more.
	 */
	private static final int TICK_MILLIS = 250;

	private static final long NO_WAKER = 0;

	private final RdmaProvider provider;

	private final Round round;

	private final long waker;

	private final Thread thread;

	private final AtomicBoolean woken = new AtomicBoolean();

	private final AtomicBoolean wakerDestroyed = new AtomicBoolean();

	private volatile boolean ending;

	private boolean ended;

	private @Nullable Runnable leftBehind;

	private PollingThread(RdmaProvider provider, ThreadFactory threads, Round round, long waker) {
		this.provider = provider;
		this.round = round;
		this.waker = waker;
		this.thread = threads.newThread(this::run);
	}

	/**
	 * Create a thread whose rounds wait for events, with a waker of its own.
	 * @param provider the provider
	 * @param threads makes the thread
	 * @param round what to do each time
	 * @return the thread, not started
	 * @throws RdmaException if the waker cannot be created
	 */
	public static PollingThread waiting(RdmaProvider provider, ThreadFactory threads, Round round) {
		return new PollingThread(provider, threads, round, provider.createWaker());
	}

	/**
	 * Create a thread whose rounds do not wait.
	 * @param provider the provider
	 * @param threads makes the thread
	 * @param round what to do each time, which must return soon
	 * @return the thread, not started
	 */
	public static PollingThread spinning(RdmaProvider provider, ThreadFactory threads, Round round) {
		return new PollingThread(provider, threads, round, NO_WAKER);
	}

	/**
	 * Start the thread. If there can be no further thread, the waker is destroyed and the
	 * error thrown.
	 */
	public void start() {
		try {
			this.thread.start();
		}
		catch (OutOfMemoryError ex) {
			destroyWaker();
			throw ex;
		}
	}

	/**
	 * Let the thread end after the round it is in, without waking it: within a tick, a
	 * quarter of a second, unless its round is stuck.
	 */
	public void end() {
		this.ending = true;
		// It may pause after a failure.
		LockSupport.unpark(this.thread);
	}

	/**
	 * End the wait of the round that the thread is in, or of the next one. It must not be
	 * closed meanwhile, and its rounds have to wait.
	 */
	public void wake() {
		this.provider.wake(this.waker);
	}

	/**
	 * Return the thread.
	 * @return the thread
	 */
	public Thread thread() {
		return this.thread;
	}

	/**
	 * Return whether the thread was told to end.
	 * @return whether it was
	 */
	public boolean isEnding() {
		return this.ending;
	}

	/**
	 * End the thread and then free what it worked on, and its waker. A thread that does
	 * not end in time does so itself when it ends.
	 * @param timeout how long the thread may take to end
	 * @param free frees what the thread worked on; if it throws, this method may be
	 * called again
	 * @return whether the thread ended in time
	 */
	public boolean close(Duration timeout, Runnable free) {
		end();
		if (this.waker != NO_WAKER && this.woken.compareAndSet(false, true)) {
			wakeToEnd();
		}
		join(timeout);
		synchronized (this) {
			if (!this.ended) {
				this.leftBehind = free;
				return false;
			}
		}
		freeAll(free);
		return true;
	}

	// Without a wake-up the thread ends all the same, within a tick.
	private void wakeToEnd() {
		try {
			wake();
		}
		catch (RuntimeException | Error ex) {
			logger.warn("Thread '{}' could not be woken and ends a moment later", this.thread.getName(), ex);
		}
	}

	// An interrupt does not end the wait, for what the thread works on would not be freed
	// then; it is kept for the caller.
	private void join(Duration timeout) {
		long end = System.nanoTime() + timeout.toNanos();
		boolean interrupted = false;
		while (this.thread.isAlive() && end - System.nanoTime() > 0) {
			try {
				this.thread.join(Math.max(1, Duration.ofNanos(end - System.nanoTime()).toMillis()));
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	private void run() {
		try {
			loop();
		}
		finally {
			Runnable left;
			synchronized (this) {
				this.ended = true;
				left = this.leftBehind;
			}
			if (left != null) {
				freeLate(left);
			}
		}
	}

	private void loop() {
		String lastProblem = "";
		while (!this.ending) {
			try {
				this.round.run(this.waker, TICK_MILLIS);
				lastProblem = "";
			}
			catch (RuntimeException | Error ex) {
				String problem = String.valueOf(ex.getMessage());
				if (!problem.equals(lastProblem)) {
					logger.warn("Thread '{}' could not fetch or serve an event and goes on", this.thread.getName(), ex);
				}
				lastProblem = problem;
				LockSupport.parkNanos(Duration.ofMillis(TICK_MILLIS).toNanos());
			}
		}
	}

	private void freeLate(Runnable left) {
		try {
			freeAll(left);
			logger.debug("Thread '{}' ended late and what it used is freed", this.thread.getName());
		}
		catch (RuntimeException | Error ex) {
			logger.warn("Thread '{}' ended late and what it used could not be freed", this.thread.getName(), ex);
		}
	}

	private void freeAll(Runnable free) {
		try {
			free.run();
		}
		finally {
			destroyWaker();
		}
	}

	private void destroyWaker() {
		if (this.waker != NO_WAKER && this.wakerDestroyed.compareAndSet(false, true)) {
			this.provider.destroyWaker(this.waker);
		}
	}

	/**
	 * What a polling thread does again and again.
	 */
	@FunctionalInterface
	public interface Round {

		/**
		 * Wait for events and serve those that are there.
		 * @param waker the thread's waker, to wait with, or 0 if it has none
		 * @param timeoutMillis how long to wait at most, in milliseconds
		 */
		void run(long waker, int timeoutMillis);

	}

}
