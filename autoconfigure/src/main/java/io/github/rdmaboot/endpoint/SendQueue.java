package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import io.github.rdmaboot.provider.CompletionOpcode;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.verbs.Device;
import io.github.rdmaboot.verbs.MemoryBlock;
import io.github.rdmaboot.verbs.QueuePair;
import org.jspecify.annotations.Nullable;

/**
 * Send queue of a connection: its slots, what is posted from them, and what completes.
 * Any thread may post; neither a post nor a completion takes a lock or allocates anything
 * unless the queue is full or something fails.
 * <p>
 * Each slot has scratch memory, for what an atomic finds in the peer's memory and for the
 * bytes of an inline send.
 */
final class SendQueue {

	/** Distinguishes the completions of sends from those of receives. */
	static final long WR_ID_SENDS = 1L << 32;

	private final RdmaConnection connection;

	private final QueuePairSettings settings;

	private final Device device;

	private final QueuePair queuePair;

	private final OutstandingRequests outstanding;

	private final EndpointStatistics statistics;

	private final CallbackDispatcher dispatcher;

	private final Reservations reservations;

	private final MemoryBlock memory;

	private final ByteBuffer bytes;

	private final int scratchOffset;

	private final int scratchLength;

	private final SlotPool pool;

	private final SendSlot[] slots;

	private final @Nullable ParkedSends parked;

	SendQueue(RdmaConnection connection, QueuePairSettings settings, Device device, QueuePair queuePair,
			OutstandingRequests outstanding, EndpointStatistics statistics, CallbackDispatcher dispatcher,
			Reservations reservations, MemoryBlock memory, int scratchOffset) {
		this.connection = connection;
		this.settings = settings;
		this.device = device;
		this.queuePair = queuePair;
		this.outstanding = outstanding;
		this.statistics = statistics;
		this.dispatcher = dispatcher;
		this.reservations = reservations;
		this.memory = memory;
		this.bytes = memory.memory().order(ByteOrder.nativeOrder());
		this.scratchOffset = scratchOffset;
		this.scratchLength = scratchLength(settings);
		this.pool = new SlotPool(settings.maxOperations());
		this.slots = new SendSlot[settings.maxOperations()];
		for (int i = 0; i < this.slots.length; i++) {
			this.slots[i] = new SendSlot(i, WR_ID_SENDS | i, device, settings.maxSendSge());
		}
		this.parked = (settings.whenFull() == WhenFull.PARK) ? new ParkedSends(settings.maxSendWr(), this::postParked)
				: null;
	}

	// How long the scratch memory of a slot is, a multiple of 8.
	static int scratchLength(QueuePairSettings settings) {
		return Math.max(Long.BYTES, (settings.maxInlineData() + Long.BYTES - 1) & -Long.BYTES);
	}

	QueuePairSettings settings() {
		return this.settings;
	}

	RdmaConnection connection() {
		return this.connection;
	}

	// Refuse reads and atomics where a device would let them wait for ever.
	void requireReads() {
		if (this.queuePair.maxReads() == 0) {
			throw new RdmaException("ibv_post_send", Errno.EOPNOTSUPP.value(), this.connection
					+ " was negotiated without reads and atomics (EOPNOTSUPP): set connection.initiator-depth of this "
					+ "side and connection.responder-resources of the peer to 1 or more");
		}
	}

	// Refuse messages that are too large to be sent inline.
	void requireInline(int length) {
		if (length > this.settings.maxInlineData()) {
			throw new IllegalArgumentException(
					"Message of " + length + " bytes is larger than the " + this.settings.maxInlineData()
							+ " bytes that may be sent inline; raise queue-pair.max-inline-data");
		}
	}

	// Describe an operation that is to be posted later.
	WorkDescription describe() {
		return new WorkDescription(this.device, this.settings.maxSendSge());
	}

	// Take a slot for an operation that is posted alone.
	SendSlot takeOne() {
		reserve(1);
		return take();
	}

	// Reserve slots, each of which has to be taken then.
	void reserve(int count) {
		this.reservations.reserve(this.pool, count, "place in the send queue", "queue-pair.max-send-wr");
	}

	SendSlot take() {
		SendSlot slot = this.slots[this.pool.take()];
		slot.standAlone();
		return slot;
	}

	// Keep the connection's memory until leave, or give the slots back that were taken.
	void enter(SendSlot taken) {
		if (!this.queuePair.enter()) {
			giveBackAll(taken);
			throw this.connection.closedException();
		}
	}

	void leave() {
		this.queuePair.leave();
	}

	// Use the scratch memory of the slot, between enter and leave: for the bytes of an
	// inline send, which it has room for, or for what an atomic finds.
	void useScratch(SendSlot slot, @Nullable ByteBuffer source) {
		int offset = offset(slot);
		int length = Long.BYTES;
		if (source != null) {
			length = source.remaining();
			this.bytes.put(offset, source, source.position(), length);
		}
		if (length > 0) {
			slot.work().buffer(this.memory.address() + offset, length, this.memory.lkey());
		}
	}

	// Post a slot alone. If this throws, the callback is not called.
	void post(SendSlot slot, OperationCallback callback) {
		slot.work().signal();
		slot.callback(callback);
		post(slot, 1);
	}

	// Post a list of slots, whose callbacks are set. If this throws, none of them is
	// called.
	void post(SendSlot first, int count) {
		retain(first);
		ParkedSends parked = this.parked;
		if (parked != null && !parked.takeRoom(count)) {
			if (!parked.park(first, count)) {
				letGo(first, null);
				giveBackAll(first);
				throw this.connection.closedException();
			}
			return;
		}
		RuntimeException error = hand(first);
		if (error != null) {
			boolean untold = withdraw(first, error);
			giveBackRoom(count);
			if (untold) {
				throw error;
			}
		}
	}

	private void retain(SendSlot first) {
		SendSlot current = first;
		try {
			for (SendSlot slot = first; slot != null; slot = slot.next()) {
				current = slot;
				slot.work().retain();
			}
		}
		catch (RuntimeException ex) {
			letGo(first, current);
			giveBackAll(first);
			throw ex;
		}
	}

	private static void letGo(SendSlot first, @Nullable SendSlot end) {
		for (SendSlot slot = first; slot != null && slot != end; slot = slot.next()) {
			slot.work().letGo();
		}
	}

	// Give back slots that were not posted.
	void giveBackAll(SendSlot first) {
		SendSlot slot = first;
		while (slot != null) {
			SendSlot next = slot.next();
			slot.takeCallback();
			this.pool.giveBack(slot.index());
			slot = next;
		}
	}

	// Post a list. Its slots must not be touched after that, unless it fails.
	private @Nullable RuntimeException hand(SendSlot first) {
		this.outstanding.posted();
		for (SendSlot slot = first; slot != null; slot = slot.next()) {
			slot.handToDevice();
		}
		int errno = this.queuePair.postSend(first.work().request());
		if (errno == 0) {
			return null;
		}
		this.outstanding.completed();
		return (errno == Errno.ENOTCONN.value()) ? this.connection.closedException()
				: new RdmaException("ibv_post_send", errno);
	}

	// Post what had to wait, which has nobody to throw to.
	private boolean postParked(SendSlot first, int count) {
		RuntimeException error = hand(first);
		if (error == null) {
			return true;
		}
		for (SendSlot slot = first; slot != null; slot = slot.next()) {
			tell(slot, 0, error);
		}
		withdraw(first, error);
		return false;
	}

	// Take back a list that was refused; whether nobody was told of it meanwhile. A part
	// that was posted lacks the end that tells when it is done, and so ends with the
	// connection.
	private boolean withdraw(SendSlot first, RuntimeException error) {
		boolean untold = false;
		boolean partly = first.work().request().posted;
		SendSlot slot = first;
		while (slot != null) {
			SendSlot next = slot.next();
			untold |= slot.takeCallback() != null;
			if (!partly) {
				takeBack(slot);
			}
			slot = next;
		}
		if (partly) {
			this.connection.failed(error);
		}
		return untold;
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
		if (work.isMessage()) {
			this.statistics.sent((int) work.bytes());
		}
	}

	// What the callback of a request is told; a request of a batch keeps it besides.
	private long result(SendSlot slot) {
		if (!slot.work().isAtomic()) {
			return slot.work().bytes();
		}
		long found = this.bytes.getLong(offset(slot));
		slot.foundValue(found);
		return found;
	}

	// Take a slot back from the device, which does not use its memory any more.
	private void takeBack(SendSlot slot) {
		if (slot.takeBack()) {
			try {
				slot.work().letGo();
			}
			finally {
				this.pool.giveBack(slot.index());
			}
		}
	}

	private void giveBackRoom(int count) {
		ParkedSends parked = this.parked;
		if (parked != null) {
			parked.giveBackRoom(count);
		}
	}

	private void tell(SendSlot slot, long result, @Nullable RuntimeException error) {
		OperationCallback callback = slot.takeCallback();
		if (callback != null) {
			this.dispatcher.completed(callback, result, error);
		}
	}

	private int offset(SendSlot slot) {
		return this.scratchOffset + slot.index() * this.scratchLength;
	}

	// Let nobody wait for room any more.
	void close() {
		this.pool.close();
	}

	// Refuse what waits for room, once the queue pair takes no more posts.
	void refuseParked() {
		ParkedSends parked = this.parked;
		if (parked != null) {
			parked.close();
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
	void failPending(RuntimeException error) {
		for (SendSlot slot : this.slots) {
			tell(slot, 0, error);
		}
	}

}
