package io.github.rdmaboot.endpoint;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Work requests that were posted and have not completed. Counted without a lock; the
 * monitor of this object serves the one thread that waits for zero.
 */
final class OutstandingRequests {

	private final AtomicInteger count = new AtomicInteger();

	private volatile boolean awaited;

	void posted() {
		this.count.incrementAndGet();
	}

	void completed() {
		if (this.count.decrementAndGet() == 0 && this.awaited) {
			synchronized (this) {
				notifyAll();
			}
		}
	}

	int count() {
		return this.count.get();
	}

	// Wait until nothing is outstanding.
	boolean awaitNone(long timeoutNanos) {
		this.awaited = true;
		boolean interrupted = false;
		long end = System.nanoTime() + timeoutNanos;
		synchronized (this) {
			for (long left = timeoutNanos; this.count.get() != 0 && left > 0; left = end - System.nanoTime()) {
				try {
					TimeUnit.NANOSECONDS.timedWait(this, left);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
		return this.count.get() == 0;
	}

}
