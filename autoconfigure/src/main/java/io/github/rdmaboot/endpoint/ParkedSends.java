package io.github.rdmaboot.endpoint;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Operations that found the send queue full and are posted, in their order, when there is
 * room. As long as there is room and nobody waits, no lock is taken; the monitor of
 * {@code waiting} guards the rest, and is held while what waited is posted, so that
 * nothing overtakes it.
 */
final class ParkedSends {

	private final AtomicInteger room;

	/** Lists that wait or are being posted. */
	private final AtomicInteger count = new AtomicInteger();

	private final Deque<Parked> waiting = new ArrayDeque<>();

	private final Poster poster;

	private boolean closed;

	ParkedSends(int room, Poster poster) {
		this.room = new AtomicInteger(room);
		this.poster = poster;
	}

	// Take room for a list if that is possible without overtaking another.
	boolean takeRoom(int size) {
		return this.count.get() == 0 && tryTakeRoom(size);
	}

	// Keep a list until there is room; whether it is kept, which it is not once closed.
	boolean park(SendSlot first, int size) {
		synchronized (this.waiting) {
			if (this.closed) {
				return false;
			}
			this.count.incrementAndGet();
			this.waiting.add(new Parked(first, size));
		}
		postWaiting();
		return true;
	}

	// Room came free.
	void giveBackRoom(int size) {
		this.room.addAndGet(size);
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
			while (parked != null && tryTakeRoom(parked.size)) {
				this.waiting.remove();
				if (!this.poster.post(parked.first, parked.size)) {
					this.room.addAndGet(parked.size);
				}
				this.count.decrementAndGet();
				parked = this.waiting.peek();
			}
		}
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
	private record Parked(SendSlot first, int size) {

	}

}
