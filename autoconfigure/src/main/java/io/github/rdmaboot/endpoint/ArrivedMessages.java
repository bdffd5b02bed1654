package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * Messages that arrived at a connection and have not been taken, in the buffers into
 * which they were received or put together of fragments. A buffer is posted again as soon
 * as its message was taken. One thread at a time puts, and one takes; with a message
 * handler neither locks nor allocates.
 */
final class ArrivedMessages {

	private final RdmaConnection connection;

	private final ReceiveBuffers buffers;

	private final CompletedReceives completed;

	private final @Nullable MessageFragments fragments;

	private final @Nullable CreditGrants grants;

	/** Put together of fragments and not taken; of the thread that takes. */
	private volatile @Nullable ByteBuffer joined;

	ArrivedMessages(RdmaConnection connection, ReceiveBuffers buffers, @Nullable MessageFragments fragments,
			@Nullable CreditGrants grants) {
		this.connection = connection;
		this.buffers = buffers;
		this.completed = new CompletedReceives(buffers.records());
		this.fragments = fragments;
		this.grants = grants;
	}

	void put(int slot, int length, boolean withImmediate, int immediate) {
		this.completed.put(slot, length, withImmediate, immediate);
	}

	// Whether there is a message or a part of one.
	boolean isAny() {
		return !this.completed.isEmpty() || this.joined != null;
	}

	// Whether there is a whole message. Puts fragments together that come before it. What
	// arrives meanwhile is looked at like all the rest, for it may be a fragment as well.
	boolean isMessageThere() {
		while (this.joined == null && !this.completed.isEmpty()) {
			MessageFragments fragments = this.fragments;
			if (fragments == null || this.completed.hasImmediate()
					|| fragments.isWhole(this.completed.length(), this.completed.immediate())) {
				return true;
			}
			join(fragments);
		}
		return this.joined != null;
	}

	private void join(MessageFragments fragments) {
		int slot = this.completed.slot();
		try {
			this.joined = fragments.add(this.buffers.view(slot, this.completed.length()), this.completed.immediate());
		}
		catch (RdmaException ex) {
			this.connection.failed(ex);
		}
		this.completed.remove();
		// A message that failed does not go on: its sender is to hear of the end while it
		// has not sent all.
		if (!fragments.isFailed() || this.buffers.isShared()) {
			repost(slot);
		}
	}

	// Have the handler take the message that is there.
	void handle(RdmaMessageHandler handler) {
		ByteBuffer joined = this.joined;
		if (joined != null) {
			this.joined = null;
			call(handler, joined, false, 0);
			return;
		}
		int slot = this.completed.slot();
		ByteBuffer bytes = this.buffers.view(slot, this.completed.length());
		boolean hasImmediate = this.completed.hasImmediate();
		int immediate = this.completed.immediate();
		this.completed.remove();
		try {
			call(handler, bytes, hasImmediate, immediate);
		}
		finally {
			repost(slot);
		}
	}

	private void call(RdmaMessageHandler handler, ByteBuffer bytes, boolean hasImmediate, int immediate) {
		try {
			if (hasImmediate) {
				handler.onMessage(this.connection, bytes, immediate);
			}
			else {
				handler.onMessage(this.connection, bytes);
			}
		}
		catch (Exception | Error ex) {
			this.connection.handlerFailed(ex);
		}
	}

	// Take the message that is there.
	RdmaMessage takeCopy() {
		ByteBuffer joined = this.joined;
		if (joined != null) {
			byte[] bytes = copy(joined);
			this.joined = null;
			return new RdmaMessage(bytes, null);
		}
		int slot = this.completed.slot();
		byte[] bytes = copy(this.buffers.view(slot, this.completed.length()));
		Integer immediate = this.completed.hasImmediate() ? this.completed.immediate() : null;
		this.completed.remove();
		repost(slot);
		return new RdmaMessage(bytes, immediate);
	}

	private static byte[] copy(ByteBuffer message) {
		byte[] bytes = new byte[message.remaining()];
		message.get(bytes);
		return bytes;
	}

	void repost(int slot) {
		int errno = this.buffers.post(slot);
		CreditGrants grants = this.grants;
		if (errno == 0 && grants != null) {
			grants.reposted();
		}
		check(errno);
	}

	// Take the errno of posting a receive.
	void check(int errno) {
		if (errno != 0 && errno != Errno.ENOTCONN.value()) {
			this.connection.failed(new RdmaException("ibv_post_recv", errno));
		}
	}

	// Post all buffers again, without their messages. Others may share them.
	void drop() {
		while (!this.completed.isEmpty()) {
			int slot = this.completed.slot();
			this.completed.remove();
			repost(slot);
		}
	}

}
