package io.github.rdmaboot.verbs;

import java.util.concurrent.atomic.AtomicReferenceArray;

import org.jspecify.annotations.Nullable;

/**
 * Completion queues by handle, found without a lock and without an object for the handle.
 * An open hash table: what is removed leaves its place empty and those behind it in the
 * same run move up. The monitor of this object guards changes; a look-up that meets one
 * may miss a queue for that moment, so it is repeated if the table changed meanwhile.
 */
final class QueueTable {

	private static final int INITIAL_CAPACITY = 16;

	private volatile AtomicReferenceArray<CompletionQueue> table = new AtomicReferenceArray<>(INITIAL_CAPACITY);

	private volatile int changes;

	private volatile int size;

	/** How many of them are closing. */
	private volatile int closing;

	int size() {
		return this.size;
	}

	// Note that the events of a queue lead to polls only as long as it expects something.
	synchronized void closes(CompletionQueue queue) {
		if (!queue.closing && find(this.table, queue.handle()) == queue) {
			queue.closing = true;
			this.closing++;
		}
	}

	// Return whether there are queues, and the events of all of them lead to nothing.
	boolean expectNothing() {
		if (this.size == 0 || this.closing < this.size) {
			return false;
		}
		AtomicReferenceArray<CompletionQueue> table = this.table;
		for (int i = 0; i < table.length(); i++) {
			CompletionQueue queue = table.get(i);
			if (queue != null && queue.isMoreExpected()) {
				return false;
			}
		}
		return true;
	}

	@Nullable CompletionQueue find(long handle) {
		while (true) {
			int before = this.changes;
			CompletionQueue queue = find(this.table, handle);
			if (queue != null || ((before & 1) == 0 && this.changes == before)) {
				return queue;
			}
			Thread.onSpinWait();
		}
	}

	private static @Nullable CompletionQueue find(AtomicReferenceArray<CompletionQueue> table, long handle) {
		int mask = table.length() - 1;
		int index = slot(handle, mask);
		CompletionQueue queue = table.get(index);
		while (queue != null && queue.handle() != handle) {
			index = (index + 1) & mask;
			queue = table.get(index);
		}
		return queue;
	}

	synchronized void add(CompletionQueue queue) {
		this.changes++;
		AtomicReferenceArray<CompletionQueue> table = this.table;
		if (2 * (this.size + 1) > table.length()) {
			table = new AtomicReferenceArray<>(2 * this.table.length());
			for (int i = 0; i < this.table.length(); i++) {
				CompletionQueue moved = this.table.get(i);
				if (moved != null) {
					put(table, moved);
				}
			}
			this.table = table;
		}
		put(table, queue);
		this.size++;
		this.changes++;
	}

	synchronized void remove(CompletionQueue queue) {
		AtomicReferenceArray<CompletionQueue> table = this.table;
		int mask = table.length() - 1;
		int index = slot(queue.handle(), mask);
		while (table.get(index) != queue) {
			if (table.get(index) == null) {
				return;
			}
			index = (index + 1) & mask;
		}
		this.changes++;
		table.set(index, null);
		this.size--;
		if (queue.closing) {
			this.closing--;
		}
		for (int next = (index + 1) & mask; table.get(next) != null; next = (next + 1) & mask) {
			CompletionQueue moved = table.get(next);
			table.set(next, null);
			put(table, moved);
		}
		this.changes++;
	}

	private static void put(AtomicReferenceArray<CompletionQueue> table, CompletionQueue queue) {
		int mask = table.length() - 1;
		int index = slot(queue.handle(), mask);
		while (table.get(index) != null) {
			index = (index + 1) & mask;
		}
		table.set(index, queue);
	}

	// Handles are addresses of C structures, whose lowest bits are 0.
	private static int slot(long handle, int mask) {
		long mixed = handle * 0x9E3779B97F4A7C15L;
		return (int) (mixed >>> 32) & mask;
	}

}
