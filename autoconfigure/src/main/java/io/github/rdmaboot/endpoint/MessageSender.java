package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

import io.github.rdmaboot.provider.WorkRequestOpcode;
import io.github.rdmaboot.verbs.MemoryBlock;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages from buffers of its own. A buffer belongs to one thread from when it is
 * taken until its send is posted, and to the device until the send completes.
 */
final class MessageSender {

	private static final String BUFFER_COUNT = "memory.buffer-count";

	private final RdmaConnection connection;

	private final SendQueue queue;

	private final CallbackDispatcher dispatcher;

	private final Reservations reservations;

	private final MemoryBlock memory;

	private final ByteBuffer bytes;

	private final int bufferSize;

	private final MessageSettings settings;

	/**
	 * The last message in fragments, in its lower half the length, unless all of it is
	 * known to have arrived: then 0.
	 */
	private final AtomicLong underWay = new AtomicLong();

	/** How many messages in fragments there were; guarded by the order of messages. */
	private int fragmented;

	private final SlotPool free;

	private final Message[] messages;

	MessageSender(RdmaConnection connection, SendQueue queue, CallbackDispatcher dispatcher, Reservations reservations,
			MemoryBlock memory, MemorySettings settings, int count) {
		this.connection = connection;
		this.queue = queue;
		this.dispatcher = dispatcher;
		this.reservations = reservations;
		this.memory = memory;
		this.bytes = memory.memory();
		this.bufferSize = settings.bufferSize();
		this.settings = settings.messages();
		this.free = new SlotPool(count);
		this.messages = new Message[count];
		for (int i = 0; i < count; i++) {
			this.messages[i] = new Message(i);
		}
	}

	// Copy a message and send it. The callback is called exactly once unless this throws.
	void send(ByteBuffer content, SendCallback callback) {
		int length = content.remaining();
		this.queue.limits().requireLength(Math.min(length, this.bufferSize));
		if (this.settings.isFragmenting()) {
			sendInFragments(content, callback);
			return;
		}
		if (length > this.bufferSize) {
			throw new IllegalArgumentException("Message of " + length + " bytes does not fit into a buffer of "
					+ this.bufferSize + " bytes of " + this.connection
					+ "; raise memory.buffer-size on both sides, or set messages.oversized to fragment");
		}
		send(content, 0, callback, false, 0);
	}

	private void sendInFragments(ByteBuffer content, SendCallback callback) {
		if (content.remaining() > this.settings.maxSize()) {
			throw new IllegalArgumentException("Message of " + content.remaining()
					+ " bytes is larger than messages.max-size of " + this.connection + ", which is "
					+ Settings.text(this.settings.maxSize()) + "; raise it on both sides");
		}
		this.queue.order().begin();
		try {
			int count = Math.max(1, (int) (((long) content.remaining() + this.bufferSize - 1) / this.bufferSize));
			// Who does not wait would find no room when the peer has a part already.
			boolean reserved = count > 1 && !this.reservations.mayWait();
			if (reserved) {
				reserve(count);
			}
			sendInFragments(content, count, reserved, callback);
		}
		finally {
			this.queue.order().end();
		}
	}

	private void sendInFragments(ByteBuffer content, int count, boolean reserved, SendCallback callback) {
		int position = content.position();
		int length = content.remaining();
		int begun = 0;
		long whole = (count > 1) ? numbered(length) : 0;
		try {
			while (begun < count - 1) {
				ByteBuffer fragment = content.slice(content.position(), this.bufferSize);
				begun++;
				send(fragment, MessageHeader.MORE, null, reserved, whole);
				this.underWay.set(whole);
				content.position(content.position() + this.bufferSize);
			}
			begun++;
			send(content, 0, callback, reserved, whole);
		}
		catch (RuntimeException | Error ex) {
			if (begun > 1) {
				this.queue.order().breakOff(ex);
			}
			content.position(position);
			throw ex;
		}
		finally {
			if (reserved) {
				giveBackBuffers(count - begun);
				giveBackSlots(count - begun);
			}
		}
	}

	// Tell a message in fragments from the one before, which may end later than this one
	// begins.
	private long numbered(int length) {
		this.fragmented++;
		return ((long) this.fragmented << Integer.SIZE) | length;
	}

	// How long the message in fragments is that the peer has not got all of, or 0.
	int underWay() {
		return this.underWay.intValue();
	}

	// Reserve buffers and places in the send queue, all or none.
	private void reserve(int count) {
		this.reservations.reserve(this.free.permits(), count, "send buffer", BUFFER_COUNT);
		try {
			this.queue.reserveMessages(count);
		}
		catch (RuntimeException ex) {
			giveBackBuffers(count);
			throw ex;
		}
	}

	private void giveBackBuffers(int count) {
		for (int i = 0; i < count; i++) {
			this.free.giveBack(this.free.take());
		}
	}

	private void giveBackSlots(int count) {
		for (int i = 0; i < count; i++) {
			this.queue.giveBackAll(this.queue.takeMessage());
		}
	}

	// The whole is the message that this is a fragment of, or 0.
	private void send(ByteBuffer content, int header, @Nullable SendCallback callback, boolean reserved, long whole) {
		if (!reserved) {
			this.reservations.reserve(this.free.permits(), 1, "send buffer", BUFFER_COUNT);
		}
		Message message = this.messages[this.free.take()];
		int position = content.position();
		try {
			post(message, content, header, callback, reserved, whole);
		}
		catch (RuntimeException | Error ex) {
			this.free.giveBack(message.index);
			content.position(position);
			throw ex;
		}
	}

	// The gate stays open meanwhile, for the memory is lent to others once it is closed.
	private void post(Message message, ByteBuffer content, int header, @Nullable SendCallback callback,
			boolean reserved, long whole) {
		SendSlot slot = reserved ? this.queue.takeMessage() : this.queue.takeOne(WorkRequestOpcode.SEND);
		if (whole != 0) {
			slot.beFragment();
		}
		this.queue.enter(slot);
		try {
			int offset = message.index * this.bufferSize;
			int length = content.remaining();
			this.bytes.put(offset, content, content.position(), length);
			content.position(content.limit());
			slot.work().begin(WorkRequestOpcode.SEND, header);
			if (length > 0) {
				slot.work().buffer(this.memory.address() + offset, length, this.memory.lkey());
			}
			message.callback = callback;
			message.ended = ((header & MessageHeader.MORE) == 0) ? whole : 0;
			this.queue.post(slot, message);
		}
		finally {
			this.queue.leave();
		}
	}

	/**
	 * Let nobody wait for a buffer any more.
	 */
	void close() {
		this.free.close();
	}

	/**
	 * Buffer with the callback of the message in it. Written by the thread that has taken
	 * the buffer, before it posts, and read by the one that sees the completion.
	 */
	private final class Message implements DirectCallback {

		private final int index;

		private @Nullable SendCallback callback;

		/** The message in fragments that it ends, or 0. */
		private long ended;

		private Message(int index) {
			this.index = index;
		}

		@Override
		public void completed(long result, @Nullable RuntimeException error) {
			SendCallback callback = this.callback;
			if (this.ended != 0 && error == null) {
				MessageSender.this.underWay.compareAndSet(this.ended, 0);
			}
			MessageSender.this.free.giveBack(this.index);
			if (callback != null) {
				MessageSender.this.dispatcher.sent(callback, error);
			}
		}

	}

}
