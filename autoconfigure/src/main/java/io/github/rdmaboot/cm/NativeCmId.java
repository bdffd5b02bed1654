package io.github.rdmaboot.cm;

import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.CreatedQueuePair;
import io.github.rdmaboot.provider.RdmaProvider;
import org.jspecify.annotations.Nullable;

/**
 * One native {@code rdma_cm_id} with what is known of it; a slot that is used again has a
 * new one, so that an event which comes late cannot be taken for one of its successor.
 * Changed under the call lock of its slot, except for {@code settled} and the ledger,
 * which belong to the channel's thread.
 */
@SuppressWarnings("checkstyle:VisibilityModifier")
final class NativeCmId {

	static final NativeCmId NONE = new NativeCmId();

	final EventLedger ledger = new EventLedger();

	final AtomicReference<CmIdState> state;

	final @Nullable Instant createdAt;

	private final @Nullable EventChannel channel;

	volatile long handle;

	volatile @Nullable CmEventHandler handler;

	volatile @Nullable CreatedQueuePair queuePair;

	volatile boolean connectionStarted;

	volatile boolean settled;

	// Groups whose join has not been answered: fetching the answer touches the queue
	// pair.
	final AtomicInteger joining = new AtomicInteger();

	// Whether it is of a datagram port space, where ids have no connection.
	final boolean datagram;

	volatile @Nullable InetSocketAddress localAddress;

	volatile @Nullable InetSocketAddress peerAddress;

	volatile @Nullable String deviceName;

	private NativeCmId() {
		this.state = new AtomicReference<>(CmIdState.NONE);
		this.channel = null;
		this.datagram = false;
		this.createdAt = null;
	}

	NativeCmId(EventChannel channel, long handle, boolean datagram, CmIdState state, @Nullable CmEventHandler handler) {
		this.state = new AtomicReference<>(state);
		this.channel = channel;
		this.datagram = datagram;
		this.handle = handle;
		this.handler = handler;
		this.createdAt = Instant.now();
	}

	EventChannel channel() {
		EventChannel channel = this.channel;
		if (channel == null) {
			throw new IllegalStateException("No native CM id was created");
		}
		return channel;
	}

	// Take the state that an event leads to.
	void take(CmEventType event) {
		CmIdState from;
		CmIdState to;
		do {
			from = this.state.get();
			to = CmIdTransitions.after(from, event);
		}
		while (to != from && !this.state.compareAndSet(from, to));
		if (CmIdTransitions.settles(event)) {
			this.settled = true;
		}
		if (event == CmEventType.MULTICAST_JOIN || event == CmEventType.MULTICAST_ERROR) {
			// A group that was joined may be reported as lost much later.
			this.joining.updateAndGet((count) -> Math.max(0, count - 1));
		}
	}

	// Return whether an event that is fetched may touch the queue pair inside librdmacm.
	boolean isQueuePairInUseByEvents() {
		return (this.connectionStarted && !this.settled) || this.joining.get() > 0;
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
