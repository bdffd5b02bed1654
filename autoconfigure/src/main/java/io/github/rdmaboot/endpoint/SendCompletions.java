package io.github.rdmaboot.endpoint;

import java.util.function.Supplier;

import io.github.rdmaboot.provider.CompletionOpcode;
import org.jspecify.annotations.Nullable;

/**
 * What completes of a send queue: tells the callbacks and takes the slots back. Neither
 * locks nor allocates unless something fails or operations are parked.
 */
final class SendCompletions {

	private final SendSlot[] slots;

	private final SlotPool pool;

	private final SendScratch scratch;

	private final OutstandingRequests outstanding;

	private final EndpointStatistics statistics;

	private final CallbackDispatcher dispatcher;

	private final @Nullable ParkedSends parked;

	SendCompletions(SendSlot[] slots, SlotPool pool, SendScratch scratch, OutstandingRequests outstanding,
			EndpointStatistics statistics, CallbackDispatcher dispatcher, @Nullable ParkedSends parked) {
		this.slots = slots;
		this.pool = pool;
		this.scratch = scratch;
		this.outstanding = outstanding;
		this.statistics = statistics;
		this.dispatcher = dispatcher;
		this.parked = parked;
	}

	CompletionOpcode operation(int index) {
		return this.slots[index].work().operation();
	}

	// Take the completion of a request that was signalled or failed.
	void completed(int index, @Nullable RuntimeException error) {
		SendSlot slot = this.slots[index];
		if (!slot.isPosted()) {
			return;
		}
		SendSlot last = slot.lastOfList();
		if (slot == last) {
			finish(last, error);
			return;
		}
		if (error == null) {
			tell(slot, result(slot), null);
		}
		else {
			tell(slot, 0, error);
			tell(last, 0, error);
		}
	}

	// Whatever is thrown, whoever waits for the list is told.
	private void finish(SendSlot last, @Nullable RuntimeException error) {
		OperationCallback callback = last.takeCallback();
		SendSlot slot = last.firstOfList();
		boolean alone = slot == last;
		long result = 0;
		int count = 0;
		try {
			while (slot != null) {
				SendSlot next = slot.next();
				long own = (error != null) ? 0 : result(slot);
				if (slot != last) {
					tell(slot, own, error);
				}
				if (error == null) {
					result += alone ? own : slot.work().bytes();
					account(slot.work());
				}
				count++;
				takeBack(slot);
				slot = next;
			}
		}
		finally {
			giveBackRoom(count);
			this.outstanding.completed();
			if (callback != null) {
				this.dispatcher.completed(callback, result, error);
			}
		}
	}

	private void account(WorkDescription work) {
		OperationKind kind = work.kind();
		if (kind == null) {
			this.statistics.sent((int) work.bytes());
		}
		else {
			this.statistics.operated(kind, work.bytes());
		}
	}

	// What the callback of a request is told; a request of a batch keeps it besides.
	private long result(SendSlot slot) {
		if (!slot.work().isAtomic()) {
			return slot.work().bytes();
		}
		long found = this.scratch.found(slot);
		slot.foundValue(found);
		return found;
	}

	// Take a slot back from the device, which does not use its memory any more.
	void takeBack(SendSlot slot) {
		if (slot.takeBack()) {
			try {
				slot.work().letGo();
			}
			finally {
				this.pool.giveBack(slot.index());
			}
		}
	}

	void giveBackRoom(int count) {
		ParkedSends parked = this.parked;
		if (parked != null) {
			parked.giveBackRoom(count);
		}
	}

	void tell(SendSlot slot, long result, @Nullable RuntimeException error) {
		OperationCallback callback = slot.takeCallback();
		if (callback != null) {
			this.dispatcher.completed(callback, result, error);
		}
	}

	// Let go of the memory of requests that never completed, once there is no queue pair
	// any more.
	void abandonPosted() {
		for (SendSlot slot : this.slots) {
			takeBack(slot);
		}
	}

	// Tell those whose request never completed.
	void failPending(Supplier<RuntimeException> reason) {
		RuntimeException error = null;
		for (SendSlot slot : this.slots) {
			OperationCallback callback = slot.takeCallback();
			if (callback != null) {
				error = (error != null) ? error : reason.get();
				this.dispatcher.completed(callback, 0, error);
			}
		}
	}

}
