package io.github.rdmaboot.endpoint;

import java.util.concurrent.locks.ReentrantLock;

import io.github.rdmaboot.provider.WorkRequestOpcode;

/**
 * Keeps the fragments of a message together, whatever else is sent over its connection:
 * the peer takes whichever message comes behind a fragment for the rest of it. Where
 * messages are sent in fragments, {@code lock} is held from before a place in the send
 * queue is reserved for a message until all of it is posted.
 */
final class MessageOrder {

	private final RdmaConnection connection;

	private final Reservations reservations;

	private final boolean fragmenting;

	private final ReentrantLock lock = new ReentrantLock();

	/** The peer lacks a part of a message; guarded by the lock. */
	private boolean broken;

	MessageOrder(RdmaConnection connection, Reservations reservations, boolean fragmenting) {
		this.connection = connection;
		this.reservations = reservations;
		this.fragmenting = fragmenting;
	}

	// Begin with a message; unless this throws, end has to follow.
	void begin() {
		if (!this.fragmenting) {
			return;
		}
		this.reservations.lock(this.lock, "turn among the messages", "memory.buffer-count");
		if (this.broken) {
			this.lock.unlock();
			throw this.connection.closedException();
		}
	}

	void end() {
		if (this.fragmenting) {
			this.lock.unlock();
		}
	}

	// The same for an operation, which may be a message.
	void begin(WorkRequestOpcode opcode) {
		if (opcode == WorkRequestOpcode.SEND) {
			begin();
		}
	}

	void end(WorkRequestOpcode opcode) {
		if (opcode == WorkRequestOpcode.SEND) {
			end();
		}
	}

	// Let no message follow one of which the peer has a part and will not get the rest,
	// and end the connection. Called by who has begun with it.
	void breakOff(Throwable error) {
		this.broken = true;
		BrokenMessage.end(this.connection, error);
	}

}
