package io.github.rdmaboot.endpoint;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.endpoint.destroy.CallInProgress;
import io.github.rdmaboot.endpoint.destroy.Deadline;

/**
 * Questions to and of datagram peers that are under way, counted so that a destroy can
 * wait for them. The monitor of this object guards the count and whether it may grow; it
 * is never held during a call.
 */
final class Exchanges {

	private int count;

	private final Set<Thread> threads = new HashSet<>();

	private boolean closed;

	// Begin one, unless none may begin any more.
	synchronized boolean begin() {
		if (!this.closed) {
			this.count++;
		}
		return !this.closed;
	}

	// The current thread carries one out.
	synchronized void enter() {
		this.threads.add(Thread.currentThread());
	}

	// One has ended, on the thread that carried it out if one did.
	synchronized void end() {
		this.threads.remove(Thread.currentThread());
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

	// Leave those behind that have not ended, and return the C functions that they are
	// inside of.
	Set<String> giveUp() {
		Set<String> functions = new TreeSet<>();
		List<Runnable> left = new ArrayList<>();
		synchronized (this) {
			// None of these ends meanwhile, so that its call is one of its exchange.
			for (Thread thread : this.threads) {
				functions.add(CallInProgress.function(thread, "a call"));
				left.add(CallWatch.givingUp(thread));
			}
		}
		left.forEach(Runnable::run);
		return functions;
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
