package io.github.rdmaboot.provider.loopback;

import io.github.rdmaboot.provider.AddressHandleAttributes;
import io.github.rdmaboot.provider.CmEventType;
import org.jspecify.annotations.Nullable;

/**
 * CM event that waits in its channel or was fetched and not yet acknowledged. Guarded by
 * the fabric's lock; events are told apart by identity.
 */
final class QueuedEvent {

	private static final byte[] NONE = new byte[0];

	final LoopbackCmId id;

	final CmEventType type;

	final int status;

	byte[] privateData = NONE;

	int responderResources;

	int initiatorDepth;

	int qpNum;

	int qkey;

	@Nullable AddressHandleAttributes address;

	/** Listener of a connection request. */
	@Nullable LoopbackCmId listener;

	/** Membership that a multicast event is about. */
	@Nullable MulticastMembership membership;

	QueuedEvent(LoopbackCmId id, CmEventType type, int status) {
		this.id = id;
		this.type = type;
		this.status = status;
	}

	/**
	 * Return the id that must not be destroyed before the event was acknowledged.
	 * @return the listener of a connection request, otherwise the id itself
	 */
	LoopbackCmId owner() {
		return (this.listener != null) ? this.listener : this.id;
	}

}
