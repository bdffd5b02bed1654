package io.github.rdmaboot.cm;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

import io.github.rdmaboot.provider.CmEventData;
import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.CreatedQueuePair;
import io.github.rdmaboot.provider.RdmaProvider;
import org.jspecify.annotations.Nullable;

/**
 * One native {@code rdma_cm_id} with what is known of it; a slot that is used again has a
 * new one, so that an event which comes late cannot be taken for one of its successor.
 * Changed under the call lock of its slot, except for {@code settled} and the ledger,
 * which belong to the channel's thread, and for the state, which is atomic. There may be
 * very many of these, so they are made of few objects.
 */
@SuppressWarnings("checkstyle:VisibilityModifier")
final class NativeCmId {

	static final NativeCmId NONE = new NativeCmId();

	private static final AtomicReferenceFieldUpdater<NativeCmId, CmIdState> STATE = AtomicReferenceFieldUpdater
		.newUpdater(NativeCmId.class, CmIdState.class, "state");

	final EventLedger ledger = new EventLedger();

	private volatile CmIdState state;

	private final long createdAtMillis;

	private final long createdAtNanos;

	private final @Nullable EventChannel channel;

	volatile long handle;

	volatile @Nullable CmEventHandler handler;

	volatile @Nullable CreatedQueuePair queuePair;

	volatile boolean connectionStarted;

	volatile boolean settled;

	// Made with the first join, which few ids have.
	private volatile @Nullable MulticastJoins joins;

	// Whether it is of a datagram port space, where ids have no connection.
	final boolean datagram;

	volatile @Nullable InetSocketAddress localAddress;

	volatile @Nullable InetSocketAddress peerAddress;

	volatile @Nullable String deviceName;

	private NativeCmId() {
		this.state = CmIdState.NONE;
		this.channel = null;
		this.datagram = false;
		this.createdAtMillis = 0;
		this.createdAtNanos = 0;
	}

	NativeCmId(EventChannel channel, long handle, boolean datagram, CmIdState state, @Nullable CmEventHandler handler) {
		this.state = state;
		this.channel = channel;
		this.datagram = datagram;
		this.handle = handle;
		this.handler = handler;
		this.createdAtMillis = System.currentTimeMillis();
		this.createdAtNanos = System.nanoTime();
	}

	EventChannel channel() {
		EventChannel channel = this.channel;
		if (channel == null) {
			throw new IllegalStateException("No native CM id was created");
		}
		return channel;
	}

	@Nullable Instant createdAt() {
		return (this.channel != null) ? Instant.ofEpochMilli(this.createdAtMillis) : null;
	}

	@Nullable Duration age() {
		return (this.channel != null) ? Duration.ofNanos(System.nanoTime() - this.createdAtNanos) : null;
	}

	CmIdState state() {
		return this.state;
	}

	void move(CmIdState to) {
		this.state = to;
	}

	// Move on, unless an event has done so meanwhile.
	boolean move(CmIdState from, CmIdState to) {
		return STATE.compareAndSet(this, from, to);
	}

	// Called under the call lock.
	MulticastJoins joins() {
		MulticastJoins joins = this.joins;
		if (joins == null) {
			joins = new MulticastJoins();
			this.joins = joins;
		}
		return joins;
	}

	// Take note of an event that was fetched, before it is acknowledged: a group can be
	// left when it is. Returns the group that the event is about, if any.
	@Nullable InetSocketAddress fetched(CmEventData event) {
		MulticastJoins joins = this.joins;
		return (event.context() != 0 && joins != null) ? joins.answered(event.context()) : null;
	}

	// Take the state that an event leads to.
	void take(CmEventType event) {
		CmIdState from;
		CmIdState to;
		do {
			from = this.state;
			to = CmIdTransitions.after(from, event);
		}
		while (to != from && !move(from, to));
		if (CmIdTransitions.settles(event)) {
			this.settled = true;
		}
	}

	// Return whether an event that is fetched may touch the queue pair inside librdmacm.
	boolean isQueuePairInUseByEvents() {
		MulticastJoins joins = this.joins;
		return (this.connectionStarted && !this.settled) || (joins != null && joins.isAnyUnanswered());
	}

	/**
	 * Copy the addresses and the device out of the native id, so that reading them later
	 * touches no native memory.
	 */
	void readAddresses() {
		RdmaProvider provider = channel().provider();
		this.localAddress = provider.rdmaGetLocalAddr(this.handle);
		this.peerAddress = provider.rdmaGetPeerAddr(this.handle);
		long context = provider.contextOf(this.handle);
		if (context != 0 && this.deviceName == null) {
			this.deviceName = provider.ibvGetDeviceName(provider.deviceOf(context));
		}
	}

}
