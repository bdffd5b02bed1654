package io.github.rdmaboot.provider.jna;

import java.util.concurrent.atomic.AtomicReferenceArray;

import org.jspecify.annotations.Nullable;

/**
 * Some objects that nobody uses at present, to be lent to virtual threads. Never blocks;
 * what does not fit in is left to the collector.
 *
 * @param <T> the type of the objects
 */
final class IdleObjects<T> {

	// A virtual thread stays on its carrier during a call, so as a rule there are as many
	// calls at once as there are carriers.
	private static final int SIZE = 64;

	private final AtomicReferenceArray<@Nullable T> idle = new AtomicReferenceArray<>(SIZE);

	// Take an object that nobody else has then, if there is one.
	@Nullable T take() {
		for (int i = 0; i < SIZE; i++) {
			T object = (this.idle.get(i) != null) ? this.idle.getAndSet(i, null) : null;
			if (object != null) {
				return object;
			}
		}
		return null;
	}

	// Keep an object for the next one who takes it.
	void keep(T object) {
		for (int i = 0; i < SIZE; i++) {
			if (this.idle.get(i) == null && this.idle.compareAndSet(i, null, object)) {
				return;
			}
		}
	}

}
