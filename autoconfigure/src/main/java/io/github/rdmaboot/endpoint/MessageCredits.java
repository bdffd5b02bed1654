package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * Headers and credits of what a connection sends, where it has any. Credits are reserved
 * before an operation is described, or where operations are parked, taken when it is
 * posted.
 */
final class MessageCredits {

	private static final String PROPERTY = "memory.buffer-count of the peer, whose messages.flow-control has to be "
			+ "credits too,";

	private final HeaderForm headers;

	private final @Nullable ContentHeaders contentHeaders;

	private final @Nullable Credits credits;

	private final Reservations reservations;

	private final boolean parking;

	MessageCredits(HeaderForm headers, @Nullable ContentHeaders contentHeaders, @Nullable Credits credits,
			Reservations reservations, boolean parking) {
		this.headers = headers;
		this.contentHeaders = contentHeaders;
		this.credits = credits;
		this.reservations = reservations;
		this.parking = parking;
	}

	// Reserve credits. Returns how many were, which is none where they are not counted or
	// are taken later.
	int reserve(int count) {
		Credits credits = this.credits;
		if (credits == null || this.parking || count == 0) {
			return 0;
		}
		this.reservations.reserve(credits.permits(), count, "credit", PROPERTY);
		return count;
	}

	// Reserve credits for a list that gets them all at once. One that is parked would
	// wait for ever, and all that follow it, if it wanted more than there can be.
	int reserveList(RdmaConnection connection, int count) {
		Credits credits = this.credits;
		if (credits != null && this.parking && count > credits.mostAtOnce()) {
			throw new SendQueueFullException(Errno.ENOMEM, "A batch of " + count + " messages of " + connection
					+ " could not be parked (ENOMEM), for with messages.flow-control=credits it may have at most "
					+ credits.mostAtOnce()
					+ ", half of memory.buffer-count: post fewer at a time or raise that of both " + "sides");
		}
		return reserve(count);
	}

	// Return the error of a list that waited and did not get those that it takes.
	RdmaException timedOut(int count) {
		String more = (count == 1) ? "" : ". It takes " + count
				+ " at once and must leave one: a batch may have half as many messages as the peer has buffers";
		return this.reservations.timedOut("credit", PROPERTY, more);
	}

	// How many are reserved for one message.
	int ofMessage() {
		return (this.credits != null && !this.parking) ? 1 : 0;
	}

	// Give back those of a list that is not sent.
	void giveBack(SendSlot first) {
		Credits credits = this.credits;
		if (credits != null) {
			credits.notSent(first.takeCredits(), 0);
		}
	}

	// Give a message its header, which grants what is owed to the peer.
	void head(SendSlot slot) {
		WorkDescription work = slot.work();
		if (this.headers == HeaderForm.NONE || !work.isMessage()) {
			return;
		}
		Credits credits = this.credits;
		int header = work.head((credits != null) ? MessageHeader.CREDITS | credits.takeOwed() : 0);
		ContentHeaders contentHeaders = this.contentHeaders;
		if (contentHeaders != null) {
			contentHeaders.write(slot.index(), work.request(), header);
		}
	}

	// Owe again what the header of a message grants that was not sent.
	void owe(WorkDescription work) {
		Credits credits = this.credits;
		if (credits != null) {
			credits.notSent(0, work.grants());
		}
	}

	// Let nobody wait for credits any more.
	void close() {
		Credits credits = this.credits;
		if (credits != null) {
			credits.permits().close();
		}
	}

}
