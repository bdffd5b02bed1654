package io.github.rdmaboot.endpoint;

import java.util.Locale;

import io.github.rdmaboot.endpoint.SlotPool.Reservation;
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
	void reserve(SlotPool pool, int count, String what, String property) {
		Reservation reservation = pool.reserve(count, 0);
		if (reservation == Reservation.DONE) {
			return;
		}
		// A thread that takes completions must not wait for one.
		boolean onCompletionThread = CompletionThread.isCurrent();
		boolean waits = this.settings.whenFull() == WhenFull.WAIT && !onCompletionThread;
		if (reservation == Reservation.FULL && waits) {
			reservation = pool.reserve(count, this.settings.fullTimeout().toNanos());
		}
		switch (reservation) {
			case DONE -> {
			}
			case CLOSED -> throw this.connection.closedException();
			case INTERRUPTED -> throw new RdmaException("ibv_post_send", Errno.EINTR.value(),
					"The wait for " + what + " of " + this.connection + " was interrupted (EINTR)");
			case FULL -> throw waits ? timedOut(what, property) : refused(what, property, onCompletionThread);
		}
	}

	private SendQueueFullException timedOut(String what, String property) {
		return new SendQueueFullException(Errno.ETIMEDOUT,
				"No " + what + " of " + this.connection + " became free within "
						+ Settings.text(this.settings.fullTimeout())
						+ " (ETIMEDOUT): the peer takes no messages, or queue-pair.full-timeout or " + property
						+ " is too low");
	}

	private SendQueueFullException refused(String what, String property, boolean onCompletionThread) {
		String limit = (this.settings.whenFull() == WhenFull.PARK) ? "queue-pair.park-limit" : property;
		String why = onCompletionThread ? "the completion thread cannot wait for one"
				: "queue-pair.when-full is " + this.settings.whenFull().name().toLowerCase(Locale.ROOT);
		return new SendQueueFullException(Errno.ENOMEM,
				"No " + what + " of " + this.connection + " is free (ENOMEM), and " + why + ": have fewer operations "
						+ "under way at a time or raise " + limit);
	}

}
