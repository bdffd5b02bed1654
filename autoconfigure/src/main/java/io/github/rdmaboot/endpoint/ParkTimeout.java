package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Since when the operation that is to be posted next has lacked credits, and the alarm
 * that looks when that has been too long. It counts from when the one before it was
 * posted: those that wait behind one that is refused do not begin anew. Guarded by the
 * monitor of what is parked.
 */
final class ParkTimeout {

	private static final Logger logger = LoggerFactory.getLogger(ParkTimeout.class);

	private final long nanos;

	private final Timer timer;

	private boolean lacking;

	private long lackingSince;

	private @Nullable Future<?> alarm;

	ParkTimeout(Duration timeout, Timer timer) {
		this.nanos = timeout.toNanos();
		this.timer = timer;
	}

	// Something was posted, or nothing lacks credits.
	void reset() {
		this.lacking = false;
	}

	// The operation that is to be posted next lacks credits.
	void lacks() {
		if (!this.lacking) {
			this.lacking = true;
			this.lackingSince = System.nanoTime();
		}
	}

	// Whether what was parked at a time has lacked credits for too long.
	boolean isOver(long parkedAt) {
		return this.lacking && left(parkedAt) <= 0;
	}

	private long left(long parkedAt) {
		long now = System.nanoTime();
		return this.nanos - Math.min(now - this.lackingSince, now - parkedAt);
	}

	// Look again when it may be over for what was parked at a time. There is one alarm at
	// a time.
	void alarm(long parkedAt, Runnable look) {
		if (!this.lacking || this.alarm != null) {
			return;
		}
		try {
			this.alarm = this.timer.executeLater(look, Math.max(left(parkedAt), 0));
		}
		catch (RejectedExecutionException ex) {
			// All connections end, and what is parked with its own.
			logger.debug("No alarm is set any more", ex);
		}
	}

	// The alarm went off.
	void alarmEnded() {
		this.alarm = null;
	}

	// Nothing is parked any more.
	void close() {
		this.lacking = false;
		if (this.alarm != null) {
			this.alarm.cancel(false);
		}
	}

	/**
	 * Runs tasks later.
	 */
	@FunctionalInterface
	interface Timer {

		Future<?> executeLater(Runnable task, long nanos);

	}

}
