package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * Puts the fragments of messages together. Used by the thread that hands messages on.
 */
final class MessageFragments {

	private final int maxSize;

	private @Nullable ByteBuffer message;

	private boolean failed;

	MessageFragments(int maxSize) {
		this.maxSize = maxSize;
	}

	// Return whether a fragment is a message by itself, and not too large for one.
	boolean isWhole(int length, int header) {
		return this.message == null && !this.failed && (header & MessageHeader.MORE) == 0 && length <= this.maxSize;
	}

	// Whether nothing is a message any more.
	boolean isFailed() {
		return this.failed;
	}

	// Add a fragment. Returns the message when it was the last one. After a failure the
	// connection ends, and nothing is a message any more.
	@Nullable ByteBuffer add(ByteBuffer fragment, int header) {
		if (this.failed) {
			return null;
		}
		boolean more = (header & MessageHeader.MORE) != 0;
		ByteBuffer message = roomFor(fragment.remaining(), more);
		message.put(fragment);
		this.message = more ? message : null;
		return more ? null : message.flip().asReadOnlyBuffer();
	}

	private ByteBuffer roomFor(int length, boolean more) {
		ByteBuffer message = this.message;
		long size = length + ((message != null) ? (long) message.position() : 0);
		if (size > this.maxSize) {
			this.failed = true;
			this.message = null;
			throw new RdmaException("ibv_poll_cq", Errno.EPROTO.value(),
					"The peer sent a message of more than messages.max-size, which is " + Settings.text(this.maxSize)
							+ " (EPROTO); raise it, or have the peer send smaller ones");
		}
		if (message == null) {
			return allocate(more ? 4 * size : size);
		}
		if (length <= message.remaining()) {
			return message;
		}
		return allocate(Math.max(size, 2L * message.capacity())).put(message.flip());
	}

	// Allocate what may be more than the largest message needs.
	private ByteBuffer allocate(long size) {
		return ByteBuffer.allocate((int) Math.min(this.maxSize, size));
	}

}
