package io.github.rdmaboot.verbs;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps posts away from a queue that is about to be destroyed. One atomic number: the
 * posts in progress, and a sign that no more are let in.
 */
final class PostGate {

	private static final int CLOSED = Integer.MIN_VALUE;

	private final AtomicInteger state = new AtomicInteger();

	// Return whether the gate is open; if so, leave has to follow.
	boolean enter() {
		int before = this.state.get();
		while (before >= 0) {
			if (this.state.compareAndSet(before, before + 1)) {
				return true;
			}
			before = this.state.get();
		}
		return false;
	}

	void leave() {
		this.state.decrementAndGet();
	}

	// Let no more in, and wait for those who are, with a post, which does not block.
	void close() {
		int before = this.state.get();
		while (before >= 0 && !this.state.compareAndSet(before, before + CLOSED)) {
			before = this.state.get();
		}
		for (long pause = 10_000; this.state.get() != CLOSED; pause = Math.min(2 * pause, 1_000_000)) {
			LockSupport.parkNanos(pause);
		}
	}

	boolean isClosed() {
		return this.state.get() == CLOSED;
	}

}
