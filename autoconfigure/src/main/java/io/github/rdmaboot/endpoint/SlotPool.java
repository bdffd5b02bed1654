package io.github.rdmaboot.endpoint;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;

/**
 * Free places of a queue, by number. A thread reserves as many as it needs, all at once
 * so that two never wait for each other, and then takes them one by one.
 * <p>
 * {@code available} counts what can be reserved; it is never more than there are in the
 * stack whose top is {@code head}: the number of the top plus one in the lower half, and
 * in the upper half a count of changes, so that a top which left and came back is
 * noticed. No lock and no memory is taken unless there are too few; then threads queue
 * for {@code turn}, and its holder, who is {@code waiter}, waits for what comes free.
 */
final class SlotPool {

	private final AtomicIntegerArray below;

	private final AtomicLong head = new AtomicLong();

	private final AtomicInteger available = new AtomicInteger();

	private final ReentrantLock turn = new ReentrantLock(true);

	private final AtomicInteger waiting = new AtomicInteger();

	private volatile @Nullable Thread waiter;

	private volatile boolean closed;

	SlotPool(int size) {
		this.below = new AtomicIntegerArray(size);
		for (int slot = size - 1; slot >= 0; slot--) {
			giveBack(slot);
		}
	}

	// Reserve places, waiting for them if the time is more than 0.
	Reservation reserve(int count, long timeoutNanos) {
		if (this.closed) {
			return Reservation.CLOSED;
		}
		if (this.waiting.get() == 0 && tryReserve(count)) {
			return Reservation.DONE;
		}
		return (timeoutNanos > 0) ? await(count, timeoutNanos) : Reservation.FULL;
	}

	// Take one of the places that were reserved.
	int take() {
		while (true) {
			long top = this.head.get();
			int slot = (int) top - 1;
			if (this.head.compareAndSet(top, changed(top, this.below.get(slot)))) {
				return slot;
			}
		}
	}

	void giveBack(int slot) {
		long top;
		do {
			top = this.head.get();
			this.below.set(slot, (int) top);
		}
		while (!this.head.compareAndSet(top, changed(top, slot + 1)));
		this.available.incrementAndGet();
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

	private boolean tryReserve(int count) {
		int before = this.available.get();
		while (before >= count) {
			if (this.available.compareAndSet(before, before - count)) {
				return true;
			}
			before = this.available.get();
		}
		return false;
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
			LockSupport.parkNanos(this, left);
		}
		return Reservation.CLOSED;
	}

	private static long changed(long top, int slotPlusOne) {
		return ((top >>> 32) + 1) << 32 | slotPlusOne;
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
