package io.github.rdmaboot.endpoint;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import io.github.rdmaboot.endpoint.Permits.Reservation;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.verbs.CompletionThread;

/**
 * Reserves places for operations of a connection, in the way that is configured for a
 * full queue.
 */
final class Reservations {

	private final RdmaConnection connection;

	private final QueuePairSettings settings;

	Reservations(RdmaConnection connection, QueuePairSettings settings) {
		this.connection = connection;
		this.settings = settings;
	}

	// Reserve places, each of which has to be taken then; what they are and the property
	// that sets how many there are tell the user who gets none.
	void reserve(Permits permits, int count, String what, String property) {
		Reservation reservation = permits.reserve(count, 0);
		if (reservation == Reservation.DONE) {
			return;
		}
		if (reservation == Reservation.FULL && mayWait()) {
			reservation = permits.reserve(count, this.settings.fullTimeout().toNanos());
		}
		require(reservation, mayWait(), what, property);
	}

	// Take a lock whose holder, another thread that sends, may be waiting for places
	// itself.
	void lock(ReentrantLock lock, String what, String property) {
		if (lock.tryLock()) {
			return;
		}
		if (CompletionThread.isCurrent()) {
			throw new SendQueueFullException(Errno.ENOMEM,
					"No " + what + " of " + this.connection
							+ " is free (ENOMEM), for another thread is sending one, and "
							+ "the completion thread cannot wait for that: send from a thread that can, as with "
							+ "completion.handlers: executor, or from one thread alone");
		}
		// Where nobody waits for places the holder is done in a moment, and contention is
		// no reason to refuse anything.
		require(await(lock), true, what, property);
	}

	private Reservation await(ReentrantLock lock) {
		try {
			return lock.tryLock(this.settings.fullTimeout().toNanos(), TimeUnit.NANOSECONDS) ? Reservation.DONE
					: Reservation.FULL;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return Reservation.INTERRUPTED;
		}
	}

	// Whether the calling thread waits for places. One that takes completions must not
	// wait for one.
	boolean mayWait() {
		return this.settings.whenFull() == WhenFull.WAIT && !CompletionThread.isCurrent();
	}

	private void require(Reservation reservation, boolean waited, String what, String property) {
		switch (reservation) {
			case DONE -> {
			}
			case CLOSED -> throw this.connection.closedException();
			case INTERRUPTED -> throw new RdmaException("ibv_post_send", Errno.EINTR.value(),
					"The wait for " + what + " of " + this.connection + " was interrupted (EINTR)");
			case FULL -> throw waited ? timedOut(what, property) : refused(what, property);
		}
	}

	private SendQueueFullException timedOut(String what, String property) {
		return timedOut(what, property, "");
	}

	// Return the error of who got none within the time, and what else there is to say.
	SendQueueFullException timedOut(String what, String property, String more) {
		return new SendQueueFullException(Errno.ETIMEDOUT,
				"No " + what + " of " + this.connection + " became free within "
						+ Settings.text(this.settings.fullTimeout())
						+ " (ETIMEDOUT): the peer takes no messages, or queue-pair.full-timeout or " + property
						+ " is too low" + more);
	}

	private SendQueueFullException refused(String what, String property) {
		String limit = (this.settings.whenFull() == WhenFull.PARK) ? "queue-pair.park-limit" : property;
		String why = CompletionThread.isCurrent() ? "the completion thread cannot wait for one"
				: "queue-pair.when-full is " + this.settings.whenFull().name().toLowerCase(Locale.ROOT);
		return new SendQueueFullException(Errno.ENOMEM,
				"No " + what + " of " + this.connection + " is free (ENOMEM), and " + why + ": have fewer operations "
						+ "under way at a time or raise " + limit);
	}

}
