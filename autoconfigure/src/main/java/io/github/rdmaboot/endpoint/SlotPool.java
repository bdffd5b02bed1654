package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Free buffers of a connection, by number. {@code lock} guards all of it.
 */
final class SlotPool {

	/** Answer of {@link #take} when no buffer became free in time. */
	static final int TIMED_OUT = -1;

	/** Answer of {@link #take} when the pool is closed. */
	static final int CLOSED = -2;

	/** Answer of {@link #take} when the thread was interrupted. */
	static final int INTERRUPTED = -3;

	private final ReentrantLock lock = new ReentrantLock();

	private final Condition freed = this.lock.newCondition();

	private final int[] free;

	private int count;

	private boolean closed;

	SlotPool(int size) {
		this.free = new int[size];
		this.count = size;
		for (int i = 0; i < size; i++) {
			this.free[i] = size - 1 - i;
		}
	}

	int take(Duration timeout) {
		this.lock.lock();
		try {
			long nanos = timeout.toNanos();
			while (this.count == 0 && !this.closed) {
				if (nanos <= 0) {
					return TIMED_OUT;
				}
				nanos = this.freed.awaitNanos(nanos);
			}
			return this.closed ? CLOSED : this.free[--this.count];
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return INTERRUPTED;
		}
		finally {
			this.lock.unlock();
		}
	}

	void giveBack(int slot) {
		this.lock.lock();
		try {
			this.free[this.count++] = slot;
			this.freed.signal();
		}
		finally {
			this.lock.unlock();
		}
	}

	void close() {
		this.lock.lock();
		try {
			this.closed = true;
			this.freed.signalAll();
		}
		finally {
			this.lock.unlock();
		}
	}

}
