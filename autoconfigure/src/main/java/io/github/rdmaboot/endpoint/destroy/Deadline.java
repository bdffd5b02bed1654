package io.github.rdmaboot.endpoint.destroy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Point in time by which something must be over.
 */
public final class Deadline {

	private final long nanoTime;

	private Deadline(long nanoTime) {
		this.nanoTime = nanoTime;
	}

	/**
	 * Return the deadline that is some time away.
	 * @param duration how far away
	 * @return the deadline
	 */
	public static Deadline after(Duration duration) {
		return new Deadline(System.nanoTime() + duration.toNanos());
	}

	/**
	 * Return the earlier of two deadlines.
	 * @param other the other deadline
	 * @return the earlier one
	 */
	public Deadline orEarlier(Deadline other) {
		return (this.nanoTime - other.nanoTime <= 0) ? this : other;
	}

	/**
	 * Return the time that is left.
	 * @return the nanoseconds, 0 when the deadline has passed
	 */
	public long remainingNanos() {
		return Math.max(0, this.nanoTime - System.nanoTime());
	}

	/**
	 * Return the time that is left.
	 * @return the time, zero when the deadline has passed
	 */
	public Duration remaining() {
		return Duration.ofNanos(remainingNanos());
	}

	/**
	 * Wait for a latch until the deadline. An interrupt does not end the wait, because
	 * native objects are being destroyed; it is kept for the caller.
	 * @param latch the latch
	 * @return whether the latch reached zero
	 */
	public boolean await(CountDownLatch latch) {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return latch.await(remainingNanos(), TimeUnit.NANOSECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

}
