package io.github.rdmaboot.endpoint;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

import io.github.rdmaboot.endpoint.destroy.CallInProgress;
import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.endpoint.destroy.DestroyStep;
import org.jspecify.annotations.Nullable;

/**
 * Keeps calls that make something native away from a destroy: none begins once the gate
 * is closed, and closing it waits for the one in progress. {@code lock} is held during
 * such a call, so a destroy finds either all of an object or nothing.
 */
final class SetupGate {

	private final ReentrantLock lock = new ReentrantLock();

	private final Supplier<ConnectionClosedException> reason;

	private volatile boolean shut;

	private volatile @Nullable CallInProgress call;

	// The reason is what callers see that come too late.
	SetupGate(Supplier<ConnectionClosedException> reason) {
		this.reason = reason;
	}

	void pass(Runnable call) {
		passing(() -> {
			call.run();
			return this;
		});
	}

	// The same for a call that makes something and returns it.
	<T> T passing(Supplier<T> call) {
		this.lock.lock();
		CallInProgress outer = this.call;
		try {
			requireOpen();
			if (outer == null) {
				this.call = new CallInProgress(CallWatch.givingUp(Thread.currentThread()));
			}
			return call.get();
		}
		finally {
			this.call = outer;
			this.lock.unlock();
		}
	}

	// Called before each native call.
	void requireOpen() {
		if (this.shut) {
			throw this.reason.get();
		}
		CallInProgress call = this.call;
		if (call != null && this.lock.isHeldByCurrentThread()) {
			call.next();
		}
	}

	boolean isShut() {
		return this.shut;
	}

	// Let nobody in any more; returns at once.
	void shut() {
		this.shut = true;
	}

	// Wait for the call in progress. The gate must be shut.
	void awaitCall() {
		this.lock.lock();
		this.lock.unlock();
	}

	// Return the step of a destroy that closes the gate among other things.
	DestroyStep closing(Runnable step) {
		return new DestroyStep() {

			@Override
			public boolean run(Deadline deadline) {
				step.run();
				return true;
			}

			@Override
			public @Nullable CallInProgress awaited() {
				return SetupGate.this.call;
			}

		};
	}

}
