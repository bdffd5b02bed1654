package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * Takes the headers of the messages that arrive at a connection, if they have any.
 */
final class MessageHeaders {

	private final RdmaConnection connection;

	private final boolean fragmenting;

	private final @Nullable CreditGrants grants;

	/** After one message that does not fit none is taken, for it may be a part of one. */
	private @Nullable RdmaException mismatch;

	MessageHeaders(RdmaConnection connection, MessageSettings settings, @Nullable CreditGrants grants) {
		this.connection = connection;
		this.fragmenting = settings.isFragmenting();
		this.grants = grants;
	}

	// Whether immediate data is the header and not the application's.
	boolean isUsed() {
		return this.fragmenting || this.grants != null;
	}

	// Return what is wrong with a message or was with one before, or null.
	@Nullable RdmaException check(boolean withImmediate, int header) {
		if (this.mismatch == null) {
			this.mismatch = mismatch(withImmediate, header);
		}
		return this.mismatch;
	}

	private @Nullable RdmaException mismatch(boolean withImmediate, int header) {
		boolean credits = this.grants != null;
		if (credits != (withImmediate && (header & MessageHeader.CREDITS) != 0)) {
			return mismatch(credits ? "that counts no credits" : "that counts credits", "messages.flow-control");
		}
		if (this.fragmenting && !withImmediate) {
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

	// Take what a message grants.
	void take(int header) {
		CreditGrants grants = this.grants;
		if (grants != null) {
			grants.granted(MessageHeader.grants(header));
		}
	}

}
