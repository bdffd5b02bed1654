package io.github.rdmaboot.provider.loopback;

import java.util.concurrent.locks.Condition;

/**
 * Counts events that were fetched and not yet acknowledged, which is what destroy calls
 * wait for. Guarded by the fabric's lock.
 */
final class AckCounter {

	private final Condition changed;

	private int outstanding;

	AckCounter(FabricLock lock) {
		this.changed = lock.newCondition();
	}

	void fetched() {
		this.outstanding++;
	}

	void acknowledged(int events) {
		this.outstanding -= events;
		this.changed.signalAll();
	}

	/**
	 * Wait, without a limit and whatever the interrupt status, until exactly the fetched
	 * events have been acknowledged. Gives up the lock meanwhile.
	 */
	void awaitAll() {
		while (this.outstanding != 0) {
			this.changed.awaitUninterruptibly();
		}
	}

}
