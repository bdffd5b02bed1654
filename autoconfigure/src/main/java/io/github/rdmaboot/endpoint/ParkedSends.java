package io.github.rdmaboot.endpoint;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/**
 * Operations that found the send queue full, or no credits, and are posted, in their
 * order, when there is room and credit. As long as there is room and nobody waits, no
 * lock is taken; the monitor of {@code waiting} guards the rest, and is held while what
 * waited is posted, so that nothing overtakes it.
 */
final class ParkedSends {

	private final AtomicInteger room;

	private final @Nullable Credits credits;

	/** Lists that wait or are being posted. */
	private final AtomicInteger count = new AtomicInteger();

	private final Deque<Parked> waiting = new ArrayDeque<>();

	private final Poster poster;

	private boolean closed;

	ParkedSends(int room, @Nullable Credits credits, Poster poster) {
		this.room = new AtomicInteger(room);
		this.credits = credits;
		this.poster = poster;
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
			this.waiting.add(new Parked(first, size, credits));
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
	// pair
	// closed.
	void close() {
		List<Parked> left;
		synchronized (this.waiting) {
			this.closed = true;
			left = List.copyOf(this.waiting);
			this.waiting.clear();
		}
		for (Parked parked : left) {
			this.poster.post(parked.first, parked.size);
			this.count.decrementAndGet();
		}
	}

	private void postWaiting() {
		synchronized (this.waiting) {
			Parked parked = this.waiting.peek();
			while (parked != null && tryTake(parked.first, parked.size, parked.credits)) {
				this.waiting.remove();
				if (!this.poster.post(parked.first, parked.size)) {
					this.room.addAndGet(parked.size);
				}
				this.count.decrementAndGet();
				parked = this.waiting.peek();
			}
		}
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
	 * List of slots that waits.
	 */
	private record Parked(SendSlot first, int size, int credits) {

	}

}
