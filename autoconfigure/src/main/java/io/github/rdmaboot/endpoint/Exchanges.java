package io.github.rdmaboot.endpoint;

import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.endpoint.destroy.Deadline;

/**
 * Questions to and of datagram peers that are under way, counted so that a destroy can
 * wait for them. The monitor of this object guards the count and whether it may grow; it
 * is never held during a call.
 */
final class Exchanges {

	private int count;

	private boolean closed;

	// Begin one, unless none may begin any more.
	synchronized boolean begin() {
		if (!this.closed) {
			this.count++;
		}
		return !this.closed;
	}

	synchronized void end() {
		this.count--;
		notifyAll();
	}

	/**
	 * Let none begin any more.
	 */
	synchronized void close() {
		this.closed = true;
	}

	synchronized int count() {
		return this.count;
	}

	// Wait until all have ended. An interrupt does not end the wait; it is kept for the
	// caller.
	synchronized boolean awaitNone(Deadline deadline) {
		boolean interrupted = false;
		for (long left = deadline.remainingNanos(); this.count > 0 && left > 0; left = deadline.remainingNanos()) {
			try {
				TimeUnit.NANOSECONDS.timedWait(this, left);
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
		return this.count == 0;
	}

}
