package io.github.rdmaboot.endpoint;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * Operations that found the send queue full, or no credits, and are posted, in their
 * order, when there is room and credit. As long as there is room and nobody waits, no
 * lock is taken; the monitor of {@code waiting} guards the rest, and is held while what
 * waited is posted, so that nothing overtakes it.
 * <p>
 * Room comes when operations complete, but credits come only if the peer grants enough of
 * them. What gets none for too long is refused, for all that is behind it.
 */
final class ParkedSends {

	private final AtomicInteger room;

	private final @Nullable Credits credits;

	/** Lists that wait or are being posted. */
	private final AtomicInteger count = new AtomicInteger();

	private final Deque<Parked> waiting = new ArrayDeque<>();

	private final Poster poster;

	private final Refusal refusal;

	private final ParkTimeout timeout;

	private boolean closed;

	ParkedSends(int room, @Nullable Credits credits, Poster poster, Refusal refusal, ParkTimeout timeout) {
		this.room = new AtomicInteger(room);
		this.credits = credits;
		this.poster = poster;
		this.refusal = refusal;
		this.timeout = timeout;
	}

	// Take room and credits for a list if that is possible without overtaking another.
	boolean takeRoom(SendSlot first, int size, int credits) {
		return this.count.get() == 0 && tryTake(first, size, credits);
	}

	// Keep a list until there is room; whether it is kept, which it is not once closed.
	boolean park(SendSlot first, int size, int credits) {
		synchronized (this.waiting) {
			if (this.closed) {
				return false;
			}
			this.count.incrementAndGet();
			this.waiting.add(new Parked(first, size, credits, System.nanoTime()));
		}
		postWaiting();
		return true;
	}

	// Room came free.
	void giveBackRoom(int size) {
		this.room.addAndGet(size);
		retry();
	}

	// Room or credits came.
	void retry() {
		if (this.count.get() > 0) {
			postWaiting();
		}
	}

	// Keep nothing any more, and hand what waits to the poster, which finds the queue
	// pair closed.
	void close() {
		List<Parked> left;
		synchronized (this.waiting) {
			this.closed = true;
			left = List.copyOf(this.waiting);
			this.waiting.clear();
			this.timeout.close();
		}
		for (Parked parked : left) {
			this.poster.post(parked.first, parked.size);
			this.count.decrementAndGet();
		}
	}

	private void postWaiting() {
		synchronized (this.waiting) {
			alarm(postNext());
		}
	}

	// Post what can be, and return what has to wait on.
	private @Nullable Parked postNext() {
		Parked parked = this.closed ? null : this.waiting.peek();
		while (parked != null && tryTake(parked.first, parked.size, parked.credits)) {
			this.waiting.remove();
			this.timeout.reset();
			parked = post(parked);
		}
		if (parked != null && parked.credits > 0 && this.room.get() >= parked.size) {
			this.timeout.lacks();
		}
		else {
			this.timeout.reset();
		}
		return parked;
	}

	// Post what has room and credits, and return what is behind it. The slot belongs to
	// others then.
	private @Nullable Parked post(Parked parked) {
		boolean fragment = parked.first.isFragment();
		boolean posted = this.poster.post(parked.first, parked.size);
		if (!posted) {
			this.room.addAndGet(parked.size);
			if (fragment) {
				return end();
			}
		}
		this.count.decrementAndGet();
		return this.waiting.peek();
	}

	private void alarm(@Nullable Parked next) {
		if (next != null) {
			this.timeout.alarm(next.since, this::refuseLate);
		}
	}

	// Refuse what has lacked credits for too long, and go on with what is behind it.
	private void refuseLate() {
		List<Parked> late = new ArrayList<>();
		synchronized (this.waiting) {
			this.timeout.alarmEnded();
			Parked next = postNext();
			while (next != null && this.timeout.isOver(next.since)) {
				this.waiting.remove();
				late.add(next);
				next = next.first.isFragment() ? end() : goOn();
			}
			alarm(next);
		}
		for (Parked parked : late) {
			this.refusal.refuse(parked.first, parked.credits);
		}
	}

	private @Nullable Parked goOn() {
		this.count.decrementAndGet();
		return postNext();
	}

	// Post nothing any more, not even what finds nobody waiting: the rest of a message
	// that lacks a part must not reach the peer.
	private @Nullable Parked end() {
		this.closed = true;
		return null;
	}

	// Whoever fails looks again under the monitor, so that nobody misses room which is
	// taken for a moment only.
	private boolean tryTake(SendSlot first, int size, int count) {
		if (!tryTakeRoom(size)) {
			return false;
		}
		Credits credits = this.credits;
		if (credits == null || count == 0) {
			return true;
		}
		if (!credits.permits().tryReserve(count)) {
			this.room.addAndGet(size);
			return false;
		}
		first.credits(count);
		return true;
	}

	private boolean tryTakeRoom(int size) {
		int before = this.room.get();
		while (before >= size) {
			if (this.room.compareAndSet(before, before - size)) {
				return true;
			}
			before = this.room.get();
		}
		return false;
	}

	/**
	 * Posts a list that waited, or tells those concerned that it cannot be posted.
	 */
	@FunctionalInterface
	interface Poster {

		// Whether it was posted.
		boolean post(SendSlot first, int size);

	}

	/**
	 * Tells those concerned that a list did not get its credits in time.
	 */
	@FunctionalInterface
	interface Refusal {

		void refuse(SendSlot first, int credits);

	}

	/**
	 * List of slots that waits.
	 */
	private record Parked(SendSlot first, int size, int credits, long since) {

	}

}
