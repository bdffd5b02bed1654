package io.github.rdmaboot.provider.loopback;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The one lock of a fabric. It guards every object of the fabric and of the providers on
 * it, is held for the length of one call, and is given up while a call waits.
 */
final class FabricLock implements AutoCloseable {

	private static final int SPINS = 200;

	private final ReentrantLock lock = new ReentrantLock();

	/**
	 * Take the lock, to be given back by {@link #close}.
	 * @return this lock
	 */
	FabricLock hold() {
		// Calls are short, and to wait in the queue of the lock takes memory.
		for (int i = 0; i < SPINS; i++) {
			if (this.lock.tryLock()) {
				return this;
			}
			Thread.onSpinWait();
		}
		this.lock.lock();
		return this;
	}

	Condition newCondition() {
		return this.lock.newCondition();
	}

	@Override
	public void close() {
		this.lock.unlock();
	}

}
