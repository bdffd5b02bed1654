package io.github.rdmaboot.cm;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;

import io.github.rdmaboot.provider.CreatedQueuePair;
import org.jspecify.annotations.Nullable;

/**
 * Slot for one native {@code rdma_cm_id}: created, used, destroyed, and then perhaps
 * created again. This view of it only reads; all its methods may be called from any
 * thread at any time and touch memory alone.
 */
@SuppressWarnings("checkstyle:VisibilityModifier")
public abstract sealed class CmId permits OwnedCmId {

	// Written under the guard of the owner.
	volatile long generation;

	volatile NativeCmId current = NativeCmId.NONE;

	volatile @Nullable RuntimeException lastError;

	private final String name;

	CmId(String name) {
		this.name = name;
	}

	/**
	 * Return the name for messages.
	 * @return the name
	 */
	public String name() {
		return this.name;
	}

	/**
	 * Return the state.
	 * @return the state
	 */
	public CmIdState state() {
		return this.current.state();
	}

	/**
	 * Return how often a native id was created in this slot.
	 * @return the count
	 */
	public long generation() {
		return this.generation;
	}

	/**
	 * Return how many events were delivered to the native id.
	 * @return the count
	 */
	public long deliveredEvents() {
		return this.current.ledger.delivered();
	}

	/**
	 * Return how many events of the native id were acknowledged.
	 * @return the count
	 */
	public long acknowledgedEvents() {
		return this.current.ledger.acknowledged();
	}

	/**
	 * Return the local address.
	 * @return the address or {@code null}
	 */
	public @Nullable InetSocketAddress localAddress() {
		return this.current.localAddress;
	}

	/**
	 * Return the peer's address.
	 * @return the address or {@code null}
	 */
	public @Nullable InetSocketAddress peerAddress() {
		return this.current.peerAddress;
	}

	/**
	 * Return the name of the device that the id is bound to.
	 * @return the name or {@code null}
	 */
	public @Nullable String deviceName() {
		return this.current.deviceName;
	}

	/**
	 * Return the number of the id's queue pair.
	 * @return the number or 0
	 */
	public int qpNum() {
		CreatedQueuePair queuePair = this.current.queuePair;
		return (queuePair != null) ? queuePair.qpNum() : 0;
	}

	/**
	 * Return when the native id was created.
	 * @return the time, or {@code null} before the first
	 */
	public @Nullable Instant createdAt() {
		return this.current.createdAt();
	}

	/**
	 * Return how long ago the native id was created, whatever became of the time of day.
	 * @return the time, or {@code null} before the first
	 */
	public @Nullable Duration age() {
		return this.current.age();
	}

	/**
	 * Return the last call of the native id that failed.
	 * @return the error or {@code null}
	 */
	public @Nullable RuntimeException lastError() {
		return this.lastError;
	}

	@Override
	public String toString() {
		InetSocketAddress local = localAddress();
		InetSocketAddress peer = peerAddress();
		return "CM id '" + this.name + "'" + ((local != null) ? " on " + Addresses.format(local) : "")
				+ ((peer != null) ? " to " + Addresses.format(peer) : "") + " (" + state() + ")";
	}

}
