package io.github.rdmaboot.endpoint;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * Place of a send queue with the request that occupies it. It belongs to one thread until
 * {@code state} says that it was handed to the device, and then to whoever ends that
 * state; whoever takes the callback has the duty to call it.
 * <p>
 * Slots that are posted as one list are linked by {@code next}. The last one is always
 * signalled, and its completion tells that all of them are done.
 */
final class SendSlot {

	private static final int OWNED = 0;

	private static final int POSTED = 1;

	private final int index;

	private final WorkDescription work;

	private final AtomicInteger state = new AtomicInteger(OWNED);

	private final AtomicReference<@Nullable OperationCallback> callback = new AtomicReference<>();

	private @Nullable SendSlot next;

	private SendSlot firstOfList = this;

	private SendSlot lastOfList = this;

	private @Nullable WorkDescription source;

	/** Those of the whole list, if this is its first slot. */
	private int credits;

	private boolean fragment;

	SendSlot(int index, long wrId, WorkDescription work) {
		this.index = index;
		this.work = work;
		this.work.request().wrId = wrId;
	}

	int index() {
		return this.index;
	}

	WorkDescription work() {
		return this.work;
	}

	// Be a list of its own, until others follow.
	void standAlone() {
		this.next = null;
		this.work.request().next = null;
		this.source = null;
		this.credits = 0;
		this.fragment = false;
		this.firstOfList = this;
		this.lastOfList = this;
	}

	// Follow a slot in its list.
	void follow(SendSlot previous) {
		previous.next = this;
		previous.work.request().next = this.work.request();
		this.firstOfList = previous.firstOfList;
	}

	// Be the end of the list, all of whose slots learn of it.
	void endList() {
		for (SendSlot slot = this.firstOfList; slot != null; slot = slot.next) {
			slot.lastOfList = this;
		}
	}

	// Carry out a request that is described elsewhere, where it is to be known what an
	// atomic found.
	void source(WorkDescription source) {
		this.source = source;
	}

	// How many receives of the peer the list that begins here takes.
	int receives() {
		int count = 0;
		for (SendSlot slot = this; slot != null; slot = slot.next) {
			if (slot.work.takesReceive()) {
				count++;
			}
		}
		return count;
	}

	// Keep credits that were reserved for the list.
	void credits(int count) {
		this.credits = count;
	}

	// Take the credits, because the list is not sent; 0 the second time.
	int takeCredits() {
		int count = this.credits;
		this.credits = 0;
		return count;
	}

	// Be a part of a message, without which the peer cannot tell where the next one
	// begins.
	void beFragment() {
		this.fragment = true;
	}

	boolean isFragment() {
		return this.fragment;
	}

	@Nullable SendSlot next() {
		return this.next;
	}

	SendSlot firstOfList() {
		return this.firstOfList;
	}

	SendSlot lastOfList() {
		return this.lastOfList;
	}

	boolean isLastOfList() {
		return this.lastOfList == this;
	}

	void callback(OperationCallback callback) {
		this.callback.set(callback);
	}

	// Take the callback and the duty to call it, unless another has it already.
	@Nullable OperationCallback takeCallback() {
		return this.callback.getAndSet(null);
	}

	void handToDevice() {
		this.work.request().posted = false;
		this.state.set(POSTED);
	}

	// Whether the device has it; all that was written before it was handed over is
	// visible then.
	boolean isPosted() {
		return this.state.get() == POSTED;
	}

	// Take the slot back; whether it was the caller who did.
	boolean takeBack() {
		return this.state.compareAndSet(POSTED, OWNED);
	}

	void foundValue(long value) {
		this.work.foundValue(value);
		WorkDescription source = this.source;
		if (source != null) {
			source.foundValue(value);
		}
	}

}
