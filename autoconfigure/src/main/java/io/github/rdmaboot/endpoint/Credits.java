package io.github.rdmaboot.endpoint;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Credits of one side of a connection: those that it has for sending messages, one for
 * each receive that the peer has posted, and those that it owes the peer, for receives
 * that it has posted itself and not granted yet. Any thread may call; nothing is locked
 * or allocated.
 * <p>
 * Each side begins with {@link #INITIAL} credits, and owes what its receive queue has
 * beyond that. What it owes goes along with the next message. Where there is none, a
 * message that only grants goes once half of the queue is owed. It takes a credit as
 * well, for which the last one is kept, so that two sides which have both used up theirs
 * can still grant. At least two are owed then, while the grant itself makes the peer owe
 * one more: so grants alone never keep each other going.
 */
final class Credits {

	/** With how many a side begins, and so how many receives there are at least. */
	static final int INITIAL = 4;

	private static final int FEWEST_TO_GRANT = 2;

	private final Permits permits = new Permits(INITIAL, 1);

	private final AtomicInteger owed;

	private final int grantedAlone;

	private Runnable grants = () -> {
	};

	Credits(int receives) {
		this.owed = new AtomicInteger(receives - INITIAL);
		this.grantedAlone = Math.max(FEWEST_TO_GRANT, receives / 2);
	}

	// Set what looks whether a grant is due, before any credit is used.
	void grantBy(Runnable grants) {
		this.grants = grants;
	}

	// What messages reserve.
	Permits permits() {
		return this.permits;
	}

	// The peer has granted some.
	void granted(int count) {
		if (count > 0) {
			this.permits.giveBack(count);
		}
	}

	// Receives were posted again.
	void owe(int count) {
		this.owed.addAndGet(count);
	}

	// Messages were not sent, which had reserved credits, or were to grant what is owed
	// again. A grant without a message may have been left to them.
	void notSent(int reserved, int owed) {
		if (reserved > 0 || owed > 0) {
			this.permits.giveBack(reserved);
			this.owed.addAndGet(owed);
			this.grants.run();
		}
	}

	// Take all that is owed, to grant it with a message.
	int takeOwed() {
		return (this.owed.get() > 0) ? this.owed.getAndSet(0) : 0;
	}

	// Whether there is enough to grant for a message without content, and a credit for
	// it.
	boolean isGrantDue() {
		return this.owed.get() >= this.grantedAlone && this.permits.isAny();
	}

}
