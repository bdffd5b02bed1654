package io.github.rdmaboot.cm;

import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

import io.github.rdmaboot.provider.RdmaException;

/**
 * Rules that hold for each call of a CM id: one at a time, only in states in which it is
 * possible, and remembered if it fails. What would crash or hang in C is refused.
 */
final class CmIdGuard {

	private final ReentrantLock lock = new ReentrantLock();

	private final OwnedCmId id;

	CmIdGuard(OwnedCmId id) {
		this.id = id;
	}

	void lock() {
		this.lock.lock();
	}

	void unlock() {
		this.lock.unlock();
	}

	// Make a call that leads from one of some states to another.
	void call(String call, Set<CmIdState> from, CmIdState to, LongConsumer nativeCall) {
		this.lock.lock();
		try {
			CmIdState before = require(call, from);
			while (!this.id.current.move(before, to)) {
				before = require(call, from);
			}
			try {
				remember(() -> {
					nativeCall.accept(this.id.current.handle);
					return 0L;
				});
			}
			catch (RuntimeException ex) {
				this.id.current.move(to, before);
				throw ex;
			}
			this.id.current.readAddresses();
		}
		finally {
			this.lock.unlock();
		}
	}

	<T> T remember(Supplier<T> nativeCall) {
		try {
			return nativeCall.get();
		}
		catch (RdmaException ex) {
			this.id.lastError = ex;
			throw ex;
		}
	}

	CmIdState require(String call, Set<CmIdState> states) {
		CmIdState now = this.id.current.state();
		if (!states.contains(now)) {
			throw new IllegalStateException(describe(call) + "; it must be one of " + states);
		}
		return now;
	}

	long requireDevice(String call, long handle) {
		long context = this.id.current.channel().provider().contextOf(handle);
		if (context == 0) {
			throw new IllegalStateException(describe(call) + ": it is not bound to a device");
		}
		return context;
	}

	void requireQueuePairUnlessDatagram(String call) {
		if (!this.id.current.datagram) {
			requireQueuePair(call);
		}
	}

	void requireQueuePair(String call) {
		if (!this.id.current.state().isLive() || this.id.current.queuePair == null) {
			throw new IllegalStateException(describe(call) + ": it has no queue pair");
		}
	}

	String describe(String call) {
		return call + " is not possible on CM id '" + this.id.name() + "' in state " + this.id.current.state();
	}

}
