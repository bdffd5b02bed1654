package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.WorkRequestOpcode;
import io.github.rdmaboot.verbs.Device;
import io.github.rdmaboot.verbs.QueuePair;
import org.jspecify.annotations.Nullable;

/**
 * Send queue of a connection: its slots, and what is posted from them. Any thread may
 * post, which neither takes a lock nor allocates anything unless the queue is full or
 * something fails.
 */
final class SendQueue {

	/** Distinguishes the completions of sends from those of receives. */
	static final long WR_ID_SENDS = 1L << 32;

	private final RdmaConnection connection;

	private final QueuePairSettings settings;

	private final Device device;

	private final long maxBytes;

	private final HeaderForm headers;

	private final @Nullable ContentHeaders contentHeaders;

	private final OperationLimits limits;

	private final QueuePair queuePair;

	private final OutstandingRequests outstanding;

	private final Reservations reservations;

	private final MessageOrder order;

	private final MessageCredits credits;

	private final SendScratch scratch;

	private final SlotPool pool;

	private final SendSlot[] slots;

	private final @Nullable ParkedSends parked;

	private final SendCompletions completions;

	SendQueue(RdmaConnection connection, QueuePairSettings settings, Device device, long maxBytes, QueuePair queuePair,
			OutstandingRequests outstanding, EndpointStatistics statistics, CallbackDispatcher dispatcher,
			Reservations reservations, MessageOrder order, SendScratch scratch, HeaderForm headers,
			@Nullable Credits credits) {
		this.connection = connection;
		this.settings = settings;
		this.device = device;
		this.maxBytes = maxBytes - headers.length();
		this.headers = headers;
		this.limits = new OperationLimits(connection, queuePair, settings.maxInlineData(), this.maxBytes,
				headers != HeaderForm.NONE);
		this.contentHeaders = (headers == HeaderForm.CONTENT) ? new ContentHeaders(queuePair, scratch) : null;
		this.queuePair = queuePair;
		this.outstanding = outstanding;
		this.reservations = reservations;
		this.order = order;
		this.credits = new MessageCredits(headers, this.contentHeaders, credits, reservations,
				settings.whenFull() == WhenFull.PARK);
		this.scratch = scratch;
		this.pool = new SlotPool(settings.maxOperations());
		this.slots = new SendSlot[settings.maxOperations()];
		for (int i = 0; i < this.slots.length; i++) {
			this.slots[i] = new SendSlot(i, WR_ID_SENDS | i, describe());
		}
		this.parked = (settings.whenFull() == WhenFull.PARK) ? new ParkedSends(settings.maxSendWr(), credits,
				this::postParked, this::refuseLate, new ParkTimeout(settings.fullTimeout(), connection::executeLater))
				: null;
		this.completions = new SendCompletions(this.slots, this.pool, scratch, outstanding, statistics, dispatcher,
				this.parked);
	}

	SendCompletions completions() {
		return this.completions;
	}

	// Used between enter and leave, for others get the memory once the connection ends.
	SendScratch scratch() {
		return this.scratch;
	}

	QueuePairSettings settings() {
		return this.settings;
	}

	RdmaConnection connection() {
		return this.connection;
	}

	// What keeps the fragments of a message together.
	MessageOrder order() {
		return this.order;
	}

	// What operations may be.
	OperationLimits limits() {
		return this.limits;
	}

	// What writes headers in front of content, or null if that is not where they are.
	@Nullable ContentHeaders contentHeaders() {
		return this.contentHeaders;
	}

	// Describe an operation that is to be posted later.
	WorkDescription describe() {
		return new WorkDescription(this.device, this.maxBytes, this.settings.maxSendSge(), this.headers);
	}

	// Take a slot for an operation that is posted alone.
	SendSlot takeOne(WorkRequestOpcode opcode) {
		reserve(1);
		SendSlot slot = take();
		if (WorkDescription.takesReceive(opcode)) {
			reserveCredits(slot, 1);
		}
		return slot;
	}

	// Reserve slots, each of which has to be taken then.
	void reserve(int count) {
		this.reservations.reserve(this.pool.permits(), count, "place in the send queue", "queue-pair.max-send-wr");
	}

	// Reserve slots for messages, and credits.
	void reserveMessages(int count) {
		reserve(count);
		try {
			this.credits.reserve(count);
		}
		catch (RuntimeException ex) {
			for (int i = 0; i < count; i++) {
				this.pool.giveBack(this.pool.take());
			}
			throw ex;
		}
	}

	// Take one of the slots that were reserved for messages.
	SendSlot takeMessage() {
		SendSlot slot = take();
		slot.credits(this.credits.ofMessage());
		return slot;
	}

	// Reserve credits for a list, or give its slots back.
	void reserveCredits(SendSlot first, int count) {
		try {
			first.credits(this.credits.reserveList(this.connection, count));
		}
		catch (RuntimeException ex) {
			giveBackAll(first);
			throw ex;
		}
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
		int credits = (parked != null) ? first.receives() : 0;
		if (parked != null && !parked.takeRoom(first, count, credits)) {
			if (!parked.park(first, count, credits)) {
				letGo(first, null);
				giveBackAll(first);
				throw this.connection.closedException();
			}
			return;
		}
		RuntimeException error = hand(first);
		if (error != null) {
			boolean untold = withdraw(first, error);
			this.completions.giveBackRoom(count);
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
		this.credits.giveBack(first);
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
			this.credits.head(slot);
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

	// Post what had to wait, which has nobody to throw to. A part of a message ends the
	// connection if it is refused.
	private boolean postParked(SendSlot first, int size) {
		boolean fragment = first.isFragment();
		RuntimeException error = hand(first);
		if (error == null) {
			return true;
		}
		for (SendSlot slot = first; slot != null; slot = slot.next()) {
			this.completions.tell(slot, 0, error);
		}
		withdraw(first, error);
		if (fragment) {
			BrokenMessage.end(this.connection, error);
		}
		return false;
	}

	// Refuse what got no credits in time, so that what waits behind it goes on. The peer
	// could not tell the next message from the rest of one that lacks a part.
	private void refuseLate(SendSlot first, int credits) {
		RuntimeException error = this.credits.timedOut(credits);
		boolean fragment = first.isFragment();
		for (SendSlot slot = first; slot != null; slot = slot.next()) {
			this.completions.tell(slot, 0, error);
		}
		letGo(first, null);
		giveBackAll(first);
		if (fragment) {
			BrokenMessage.end(this.connection, error);
		}
	}

	// Take back a list that was refused; whether nobody was told of it meanwhile. A part
	// that was posted lacks the end that tells when it is done, and so ends with the
	// connection.
	private boolean withdraw(SendSlot first, RuntimeException error) {
		boolean untold = false;
		boolean partly = first.work().request().posted;
		if (!partly) {
			this.credits.giveBack(first);
		}
		SendSlot slot = first;
		while (slot != null) {
			SendSlot next = slot.next();
			untold |= slot.takeCallback() != null;
			if (!partly) {
				this.credits.owe(slot.work());
				this.completions.takeBack(slot);
			}
			slot = next;
		}
		if (partly) {
			this.connection.failed(error);
		}
		return untold;
	}

	// Credits came, so what is parked may be posted.
	void roomCame() {
		ParkedSends parked = this.parked;
		if (parked != null) {
			parked.retry();
		}
	}

	// Let nobody wait for room any more.
	void close() {
		this.pool.close();
		this.credits.close();
	}

	// Refuse what waits for room, once the queue pair takes no more posts.
	void refuseParked() {
		ParkedSends parked = this.parked;
		if (parked != null) {
			parked.close();
		}
	}

}
