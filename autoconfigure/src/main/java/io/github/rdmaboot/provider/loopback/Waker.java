package io.github.rdmaboot.provider.loopback;

import java.util.concurrent.locks.Condition;

/**
 * What wakes one waiting thread: the loopback's {@code eventfd}. Guarded by the fabric's
 * lock.
 */
final class Waker {

	private final Condition condition;

	private boolean pending;

	Waker(Condition condition) {
		this.condition = condition;
	}

	Condition condition() {
		return this.condition;
	}

	boolean isPending() {
		return this.pending;
	}

	void wake() {
		this.pending = true;
		this.condition.signalAll();
	}

	void consume() {
		this.pending = false;
	}

}
