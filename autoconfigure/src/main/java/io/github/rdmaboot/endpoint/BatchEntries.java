package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Operations of a batch, described once and posted as one list as often as one likes. Not
 * safe for several threads at once.
 */
final class BatchEntries {

	private final SendQueue queue;

	private final WorkDescription[] works;

	private final ByteBuffer[] inline;

	private final @Nullable OperationCallback[] callbacks;

	private int count;

	BatchEntries(SendQueue queue, int capacity) {
		this.queue = queue;
		this.works = new WorkDescription[capacity];
		this.inline = new ByteBuffer[capacity];
		this.callbacks = new OperationCallback[capacity];
		for (int i = 0; i < capacity; i++) {
			this.works[i] = queue.describe();
			this.inline[i] = ByteBuffer.allocate(queue.settings().maxInlineData());
		}
	}

	int size() {
		return this.count;
	}

	void clear() {
		this.count = 0;
	}

	WorkDescription get(int index) {
		return this.works[Objects.checkIndex(index, this.count)];
	}

	// The one to describe next, which counts once it is added.
	WorkDescription next() {
		if (this.count == this.works.length) {
			throw new IllegalStateException(
					"There is no room for more than " + this.count + " operations in the batch");
		}
		return this.works[this.count];
	}

	// Keep the bytes of the one that is described at present.
	void nextInline(ByteBuffer message) {
		this.inline[this.count].clear().put(message).flip();
	}

	void add() {
		this.callbacks[this.count] = null;
		this.count++;
	}

	WorkDescription last() {
		return this.works[lastIndex()];
	}

	void signalLast(OperationCallback callback) {
		last().signal();
		this.callbacks[lastIndex()] = callback;
	}

	private int lastIndex() {
		if (this.count == 0) {
			throw new IllegalStateException("The batch is empty");
		}
		return this.count - 1;
	}

	void post(OperationCallback callback) {
		if (this.count == 0) {
			throw new IllegalArgumentException("The batch is empty");
		}
		if (this.callbacks[this.count - 1] != null) {
			throw new IllegalArgumentException(
					"The outcome of the last operation of a batch is told to the callback of the batch, not by signal");
		}
		if (!hasMessages()) {
			postAll(callback);
			return;
		}
		this.queue.order().begin();
		try {
			postAll(callback);
		}
		finally {
			this.queue.order().end();
		}
	}

	private boolean hasMessages() {
		for (int i = 0; i < this.count; i++) {
			if (this.works[i].isMessage()) {
				return true;
			}
		}
		return false;
	}

	private void postAll(OperationCallback callback) {
		SendSlot first = take();
		this.queue.enter(first);
		try {
			int index = 0;
			for (SendSlot slot = first; slot != null; slot = slot.next()) {
				fill(slot, index++);
			}
			first.lastOfList().callback(callback);
			this.queue.post(first, this.count);
		}
		finally {
			this.queue.leave();
		}
	}

	private SendSlot take() {
		this.queue.reserve(this.count);
		SendSlot first = this.queue.take();
		SendSlot last = first;
		for (int i = 1; i < this.count; i++) {
			SendSlot slot = this.queue.take();
			slot.follow(last);
			last = slot;
		}
		last.endList();
		this.queue.reserveCredits(first, receives());
		return first;
	}

	// How many receives of the peer the batch takes.
	private int receives() {
		int receives = 0;
		for (int i = 0; i < this.count; i++) {
			if (this.works[i].takesReceive()) {
				receives++;
			}
		}
		return receives;
	}

	private void fill(SendSlot slot, int index) {
		WorkDescription work = this.works[index];
		slot.work().copyFrom(work);
		if (slot.isLastOfList()) {
			slot.work().signal();
		}
		slot.source(work);
		if (work.isAtomic()) {
			this.queue.scratch().use(slot, null);
		}
		else if (work.isInline()) {
			this.queue.scratch().use(slot, this.inline[index]);
		}
		OperationCallback callback = this.callbacks[index];
		if (callback != null) {
			slot.callback(callback);
		}
	}

}
