package io.github.rdmaboot.provider.loopback;

import java.util.ArrayList;
import java.util.List;

/**
 * Something that threads wait on for events: the loopback's pollable file descriptor.
 * Guarded by the fabric's lock.
 */
abstract class EventSource {

	private final List<Waker> waiting = new ArrayList<>(1);

	abstract boolean isReady();

	/**
	 * Wake the waiting threads because there is an event.
	 */
	void signal() {
		for (Waker waker : this.waiting) {
			waker.condition().signalAll();
		}
	}

	/**
	 * Wait until there is an event, the waker is woken or the time is up, whatever the
	 * thread's interrupt status.
	 * @param timer the time to follow
	 * @param waker the waker, consumed
	 * @param timeoutNanos how long to wait at most
	 * @return whether there is an event
	 */
	boolean await(FabricTimer timer, Waker waker, long timeoutNanos) {
		long deadline = timer.now() + timeoutNanos;
		boolean interrupted = false;
		this.waiting.add(waker);
		try {
			long remaining = timeoutNanos;
			while (!isReady() && !waker.isPending() && remaining > 0) {
				if (timer.isVirtual()) {
					FabricTimer.Task alarm = timer.schedule(remaining, () -> waker.condition().signalAll());
					waker.condition().awaitUninterruptibly();
					timer.cancel(alarm);
				}
				else {
					try {
						waker.condition().awaitNanos(remaining);
					}
					catch (InterruptedException ex) {
						// The wait goes on, as poll is called again in C after EINTR.
						interrupted = true;
					}
				}
				remaining = deadline - timer.now();
			}
			waker.consume();
			return isReady();
		}
		finally {
			stopWaiting(waker);
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	// By identity: Object.equals takes memory in a JVM in which classes are mocked, which
	// would count as that of whoever measures what a wait allocates.
	private void stopWaiting(Waker waker) {
		for (int i = this.waiting.size() - 1; i >= 0; i--) {
			if (this.waiting.get(i) == waker) {
				this.waiting.remove(i);
				return;
			}
		}
	}

}
