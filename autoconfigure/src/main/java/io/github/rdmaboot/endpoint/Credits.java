package io.github.rdmaboot.endpoint;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

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
 * one more: so grants alone never keep each other going. Less is granted only while a
 * thread waits for credits, from time to time.
 */
final class Credits {

	/** With how many a side begins, and so how many receives there are at least. */
	static final int INITIAL = 4;

	private static final int FEWEST_TO_GRANT = 2;

	private final Permits permits = new Permits(INITIAL, 1, this::waiting);

	private final int receives;

	private final AtomicInteger owed;

	private final int grantedAlone;

	private IntConsumer grants = (least) -> {
	};

	Credits(int receives) {
		this.receives = receives;
		this.owed = new AtomicInteger(receives - INITIAL);
		this.grantedAlone = Math.max(FEWEST_TO_GRANT, receives / 2);
	}

	// Set what looks whether so much can be granted, before any credit is used.
	void grantBy(IntConsumer grants) {
		this.grants = grants;
	}

	// How many messages one list may have that gets its credits all at once, if the peer
	// has as many receives: what it owes without granting it, it may keep for ever.
	int mostAtOnce() {
		return this.receives - this.grantedAlone;
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
			this.grants.accept(this.grantedAlone);
		}
	}

	// Take all that is owed, to grant it with a message.
	int takeOwed() {
		return (this.owed.get() > 0) ? this.owed.getAndSet(0) : 0;
	}

	// Take all that is owed and a credit, to grant it without a message. Takes neither,
	// and returns 0, if less than the least is owed or there is no credit. The credit
	// comes last: one that was taken and given back could be missed meanwhile by what
	// waits for it.
	int takeGrant(int least) {
		int owed = takeOwed();
		if (owed >= least && this.permits.tryTakeLast()) {
			return owed;
		}
		this.owed.addAndGet(owed);
		return 0;
	}

	// How much is granted by a message without content, unless a thread waits.
	int grantedAlone() {
		return this.grantedAlone;
	}

	// Whether there is that much to grant, and a credit for it.
	boolean isGrantDue(int least) {
		return this.owed.get() >= least && this.permits.isAny();
	}

	// A thread waits for credits. If that is a message handler, it keeps the buffers that
	// it would owe, and the peer may have used up its last credit for a grant: then it
	// can grant no more, unless it gets that one back.
	private void waiting() {
		this.grants.accept(1);
	}

}
