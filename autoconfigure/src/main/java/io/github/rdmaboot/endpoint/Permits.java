package io.github.rdmaboot.endpoint;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * Counts what can be reserved. A thread reserves as much as it needs, all at once so that
 * two never wait for each other. No lock and no memory is taken unless there is too
 * little; then threads queue for {@code turn}, and its holder, who is {@code waiter},
 * waits for what comes free.
 */
final class Permits {

	private static final long WAITING_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	private final AtomicInteger available;

	private final int kept;

	private final @Nullable Runnable whileWaiting;

	private final ReentrantLock turn = new ReentrantLock(true);

	private final AtomicInteger waiting = new AtomicInteger();

	private volatile @Nullable Thread waiter;

	private volatile boolean closed;

	Permits(int available) {
		this(available, 0, null);
	}

	// Some may be kept from those who reserve, for whoever takes one of the last. Who
	// waits runs what may bring some, from time to time.
	Permits(int available, int kept, @Nullable Runnable whileWaiting) {
		this.available = new AtomicInteger(available);
		this.kept = kept;
		this.whileWaiting = whileWaiting;
	}

	// Reserve some, waiting for them if the time is more than 0.
	Reservation reserve(int count, long timeoutNanos) {
		if (this.closed) {
			return Reservation.CLOSED;
		}
		if (this.waiting.get() == 0 && tryReserve(count)) {
			return Reservation.DONE;
		}
		return (timeoutNanos > 0) ? await(count, timeoutNanos) : Reservation.FULL;
	}

	// Reserve some without regard to those who wait.
	boolean tryReserve(int count) {
		return tryTake(count, this.kept);
	}

	// Take one, also of those that are kept; whether there was one.
	boolean tryTakeLast() {
		return tryTake(1, 0);
	}

	private boolean tryTake(int count, int kept) {
		int before = this.available.get();
		while (before - kept >= count) {
			if (this.available.compareAndSet(before, before - count)) {
				return true;
			}
			before = this.available.get();
		}
		return false;
	}

	// Whether there is one, also of those that are kept.
	boolean isAny() {
		return this.available.get() > 0;
	}

	void giveBack(int count) {
		this.available.addAndGet(count);
		Thread waiter = this.waiter;
		if (waiter != null) {
			LockSupport.unpark(waiter);
		}
	}

	// Let nobody reserve any more, nor wait for it.
	void close() {
		this.closed = true;
		LockSupport.unpark(this.waiter);
	}

	private Reservation await(int count, long timeoutNanos) {
		long end = System.nanoTime() + timeoutNanos;
		this.waiting.incrementAndGet();
		try {
			if (!this.turn.tryLock(timeoutNanos, TimeUnit.NANOSECONDS)) {
				return this.closed ? Reservation.CLOSED : Reservation.FULL;
			}
			try {
				this.waiter = Thread.currentThread();
				return awaitInTurn(count, end);
			}
			finally {
				this.waiter = null;
				this.turn.unlock();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return Reservation.INTERRUPTED;
		}
		finally {
			this.waiting.decrementAndGet();
		}
	}

	private Reservation awaitInTurn(int count, long end) throws InterruptedException {
		boolean waited = false;
		while (!this.closed) {
			if (tryReserve(count)) {
				return Reservation.DONE;
			}
			if (Thread.interrupted()) {
				throw new InterruptedException();
			}
			long left = end - System.nanoTime();
			if (left <= 0) {
				return Reservation.FULL;
			}
			Runnable whileWaiting = this.whileWaiting;
			if (whileWaiting == null) {
				LockSupport.parkNanos(this, left);
			}
			else {
				if (waited) {
					whileWaiting.run();
				}
				LockSupport.parkNanos(this, Math.min(left, WAITING_INTERVAL_NANOS));
				waited = true;
			}
		}
		return Reservation.CLOSED;
	}

	/**
	 * What became of a reservation.
	 */
	enum Reservation {

		/** The places belong to the caller. */
		DONE,

		/** There are too few, also after the time that the caller would wait. */
		FULL,

		/** The pool is closed. */
		CLOSED,

		/** The thread was interrupted while it waited. */
		INTERRUPTED

	}

}
