package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.WorkCompletion;
import org.jspecify.annotations.Nullable;

/**
 * Takes the headers of the messages that arrive at a connection, if they have any.
 */
final class MessageHeaders {

	private final RdmaConnection connection;

	private final HeaderForm form;

	private final ReceiveBuffers buffers;

	private final boolean fragmenting;

	private final @Nullable CreditGrants grants;

	/** After one message that does not fit none is taken, for it may be a part of one. */
	private @Nullable RdmaException mismatch;

	MessageHeaders(RdmaConnection connection, MessageSettings settings, HeaderForm form, ReceiveBuffers buffers,
			@Nullable CreditGrants grants) {
		this.connection = connection;
		this.form = form;
		this.buffers = buffers;
		this.fragmenting = settings.isFragmenting();
		this.grants = grants;
	}

	// Whether messages have a header, in place of the application's immediate data.
	boolean isUsed() {
		return this.form != HeaderForm.NONE;
	}

	// How much of what arrives in a buffer is the header.
	int length() {
		return this.form.length();
	}

	// The header of a message that has one.
	int header(int slot, WorkCompletion completion) {
		return (this.form == HeaderForm.CONTENT) ? this.buffers.header(slot) : completion.immediateData;
	}

	// Take the header of what arrived, and what it grants; whether a message belongs to
	// it. One that does not fit ends the connection, as does whatever comes after it.
	boolean take(int slot, WorkCompletion completion) {
		boolean there = (this.form == HeaderForm.CONTENT) ? this.buffers.hasHeader(slot, completion.byteLength)
				: completion.hasImmediate();
		int header = there ? header(slot, completion) : 0;
		if (this.mismatch == null) {
			this.mismatch = mismatch(there, header);
		}
		RdmaException mismatch = this.mismatch;
		if (mismatch != null) {
			this.connection.failed(mismatch);
			return false;
		}
		CreditGrants grants = this.grants;
		if (grants != null) {
			grants.granted(MessageHeader.grants(header));
		}
		return !MessageHeader.isGrantOnly(header);
	}

	private @Nullable RdmaException mismatch(boolean there, int header) {
		boolean credits = this.grants != null;
		if (credits != (there && (header & MessageHeader.CREDITS) != 0)) {
			return mismatch(credits ? "that counts no credits" : "that counts credits", "messages.flow-control");
		}
		if (this.fragmenting && !there) {
			return mismatch("that is not marked as whole or fragment", "messages.oversized");
		}
		if (!this.fragmenting && (header & MessageHeader.MORE) != 0) {
			return mismatch("in fragments", "messages.oversized");
		}
		return null;
	}

	private RdmaException mismatch(String what, String property) {
		return new RdmaException("ibv_poll_cq", Errno.EPROTO.value(),
				this.connection + " got a message " + what + " (EPROTO): set " + property + " of both sides alike");
	}

}
