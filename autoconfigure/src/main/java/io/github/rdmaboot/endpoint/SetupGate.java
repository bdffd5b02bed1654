package io.github.rdmaboot.endpoint;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Keeps calls that make something native away from a destroy: none begins once the gate
 * is closed, and closing it waits for the one in progress. {@code lock} is held during
 * such a call, so a destroy finds either all of an object or nothing.
 */
final class SetupGate {

	private final ReentrantLock lock = new ReentrantLock();

	private final Supplier<ConnectionClosedException> reason;

	private volatile boolean closed;

	// The reason is what callers see that come too late.
	SetupGate(Supplier<ConnectionClosedException> reason) {
		this.reason = reason;
	}

	void pass(Runnable call) {
		this.lock.lock();
		try {
			requireOpen();
			call.run();
		}
		finally {
			this.lock.unlock();
		}
	}

	void requireOpen() {
		if (this.closed) {
			throw this.reason.get();
		}
	}

	// Let nobody in any more; returns at once.
	void shut() {
		this.closed = true;
	}

	// Wait for the call in progress. The gate must be shut.
	void awaitCall() {
		this.lock.lock();
		this.lock.unlock();
	}

}
