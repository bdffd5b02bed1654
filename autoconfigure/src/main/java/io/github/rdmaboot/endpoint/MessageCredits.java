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

	private final boolean usingHeaders;

	private final @Nullable Credits credits;

	private final Reservations reservations;

	private final boolean parking;

	MessageCredits(boolean usingHeaders, @Nullable Credits credits, Reservations reservations, boolean parking) {
		this.usingHeaders = usingHeaders;
		this.credits = credits;
		this.reservations = reservations;
		this.parking = parking;
	}

	// Refuse immediate data where that of messages is a header.
	void requireImmediate(RdmaConnection connection) {
		if (this.usingHeaders) {
			throw new RdmaException("ibv_post_send", Errno.EOPNOTSUPP.value(),
					"Messages of " + connection
							+ " cannot carry immediate data (EOPNOTSUPP), for messages.flow-control=credits and "
							+ "messages.oversized=fragment use it themselves; only writes can");
		}
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
	void head(WorkDescription work) {
		Credits credits = this.credits;
		if (credits != null && work.isMessage()) {
			work.head(MessageHeader.CREDITS | credits.takeOwed());
		}
		else if (this.usingHeaders) {
			work.head(0);
		}
	}

	// Owe again what the header of a message grants that was not sent.
	void owe(WorkDescription work) {
		Credits credits = this.credits;
		if (credits != null) {
			credits.notSent(0, work.grants());
		}
	}

	// Return the error of a post that the device refused.
	RdmaException refused(int errno) {
		if (this.usingHeaders && errno == Errno.EINVAL.value()) {
			return new RdmaException("ibv_post_send", errno,
					"ibv_post_send failed with " + Errno.describe(errno)
							+ ". On iWARP, which has no immediate data, neither "
							+ "messages.flow-control=credits nor messages.oversized=fragment can be used");
		}
		return new RdmaException("ibv_post_send", errno);
	}

	// Let nobody wait for credits any more.
	void close() {
		Credits credits = this.credits;
		if (credits != null) {
			credits.permits().close();
		}
	}

}
