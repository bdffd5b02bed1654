package io.github.rdmaboot.cm;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.github.rdmaboot.provider.CmEventData;
import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.PollingThread;
import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Event channel with the one thread that fetches its events: each is copied, acknowledged
 * and only then handed on, so nobody ever holds an event that could block a destroy.
 * <p>
 * {@code fetchLock} guards the map of ids and the ledgers. It is held while an event is
 * fetched and acknowledged, and by whatever must not overlap with that; it is never held
 * while a handler runs or while an id is destroyed.
 */
public final class EventChannel {

	private static final Logger logger = LoggerFactory.getLogger(EventChannel.class);

	private final RdmaProvider provider;

	private final Consumer<OwnedCmId> orphans;

	private final long channel;

	private final PollingThread thread;

	private final ReentrantLock fetchLock = new ReentrantLock();

	private final IdTable ids = new IdTable();

	private long unfetched;

	private int callsInProgress;

	private boolean unwanted;

	private boolean destroyed;

	private EventChannel(RdmaProvider provider, String threadName, Consumer<OwnedCmId> orphans, long channel) {
		this.provider = provider;
		this.orphans = orphans;
		this.channel = channel;
		this.thread = PollingThread.waiting(provider, (work) -> {
			Thread thread = new Thread(work, threadName);
			thread.setDaemon(true);
			return thread;
		}, this::serve);
	}

	/**
	 * Create an event channel and start its thread; stands for
	 * {@code rdma_create_event_channel}.
	 * @param provider the provider
	 * @param threadName the name of the thread
	 * @param orphans takes the ids of connection requests whose listener is gone; called
	 * on the channel's thread, must not block, and has to see to their destruction
	 * @return the event channel
	 * @throws RdmaException if the channel or its waker cannot be created
	 */
	public static EventChannel open(RdmaProvider provider, String threadName, Consumer<OwnedCmId> orphans) {
		long channel = provider.rdmaCreateEventChannel();
		try {
			EventChannel eventChannel = new EventChannel(provider, threadName, orphans, channel);
			eventChannel.thread.start();
			return eventChannel;
		}
		catch (RuntimeException | Error ex) {
			provider.rdmaDestroyEventChannel(channel);
			throw ex;
		}
	}

	RdmaProvider provider() {
		return this.provider;
	}

	/**
	 * Return how many ids are attached to the channel.
	 * @return the count
	 */
	public int attachedIds() {
		this.fetchLock.lock();
		try {
			return this.ids.size() + this.callsInProgress;
		}
		finally {
			this.fetchLock.unlock();
		}
	}

	/**
	 * End the thread and destroy the channel; stands for
	 * {@code rdma_destroy_event_channel}. Does nothing the second time. All ids must have
	 * been destroyed: with one left, the channel would be destroyed under a native call
	 * that still uses it.
	 * @param timeout how long the thread may take to end
	 * @throws IllegalStateException if ids are attached, which leaves the channel to the
	 * destroy of the last of them, or if the thread does not end in time, which leaves
	 * the channel to the end of the thread
	 */
	public synchronized void close(Duration timeout) {
		if (this.destroyed) {
			return;
		}
		withoutFetching(this.thread::end);
		if (!this.thread.close(timeout, this::destroyChannel)) {
			throw new IllegalStateException("Thread '" + this.thread.thread().getName() + "' did not end within "
					+ timeout + "; its event channel is left until it ends");
		}
		this.destroyed = true;
	}

	private void destroyChannel() {
		this.fetchLock.lock();
		try {
			int left = attachedIds();
			if (left > 0) {
				this.unwanted = true;
				throw new IllegalStateException(
						left + " CM ids are still attached; their event channel is left to the last of them");
			}
		}
		finally {
			this.fetchLock.unlock();
		}
		this.provider.rdmaDestroyEventChannel(this.channel);
		if (this.unfetched != 0) {
			this.provider.rdmaDestroyEventChannel(this.unfetched);
		}
	}

	// The last id is gone whose call was stuck when the channel should have been
	// destroyed.
	private void closeLate() {
		try {
			close(Duration.ZERO);
			logger.info("The event channel of thread '{}' was left behind and is destroyed now",
					this.thread.thread().getName());
		}
		catch (RuntimeException | Error ex) {
			logger.warn("The event channel of thread '{}' cannot be destroyed", this.thread.thread().getName(), ex);
		}
	}

	// Create an id. The channel counts it from before the call, and so outlives the call.
	long create(OwnedCmId id, PortSpace portSpace) {
		this.fetchLock.lock();
		try {
			if (this.thread.isEnding()) {
				throw new IllegalStateException("The event channel is closed");
			}
			this.callsInProgress++;
		}
		finally {
			this.fetchLock.unlock();
		}
		long handle = 0;
		try {
			handle = this.provider.rdmaCreateId(this.channel, portSpace);
			return handle;
		}
		finally {
			callEnded(handle, id);
		}
	}

	private void callEnded(long created, OwnedCmId id) {
		boolean last;
		this.fetchLock.lock();
		try {
			this.callsInProgress--;
			if (created != 0) {
				this.ids.put(created, id);
			}
			last = this.unwanted && attachedIds() == 0;
			this.unwanted &= !last;
		}
		finally {
			this.fetchLock.unlock();
		}
		if (last) {
			closeLate();
		}
	}

	// Take an id off the channel and destroy it. Nothing of it is un-acknowledged by
	// then, and an event that is fetched later is acknowledged at once, so the call
	// cannot wait for one. The channel counts the id until the call has returned, and so
	// outlives it.
	void destroy(OwnedCmId id, long handle, EventLedger ledger) {
		int late;
		this.fetchLock.lock();
		try {
			late = ledger.acknowledgeAll(this.provider);
			this.ids.remove(handle);
			this.callsInProgress++;
		}
		finally {
			this.fetchLock.unlock();
		}
		try {
			report("rdma_destroy_id", id, late);
			this.provider.rdmaDestroyId(handle);
		}
		finally {
			callEnded(0, id);
		}
	}

	// Move an id to a channel that nobody fetches from, since fetching an event of it
	// could touch what is about to be destroyed. It can only be destroyed after that, or
	// be moved back. The call waits for what is not acknowledged, and all events with it.
	void silence(OwnedCmId id, NativeCmId cmId) {
		acknowledged("rdma_migrate_id", id, cmId.ledger, () -> {
			if (this.unfetched == 0) {
				this.unfetched = this.provider.rdmaCreateEventChannel();
			}
			this.provider.rdmaMigrateId(cmId.handle, this.unfetched);
		});
	}

	// Run something when nothing is un-acknowledged, while no event is being fetched.
	void acknowledged(String call, OwnedCmId id, EventLedger ledger, Runnable task) {
		int late = 0;
		this.fetchLock.lock();
		try {
			late = ledger.acknowledgeAll(this.provider);
			task.run();
		}
		finally {
			this.fetchLock.unlock();
			report(call, id, late);
		}
	}

	// Say what had been left, without holding up those who fetch.
	private static void report(String call, OwnedCmId id, int late) {
		if (late > 0) {
			logger.warn("CM id '{}' had {} left to acknowledge before {}, which waits for that", id.name(),
					(late == 1) ? "1 event" : late + " events", call);
		}
	}

	// Move an id back, with the events that it got meanwhile.
	void listenAgain(long handle) {
		withoutFetching(() -> this.provider.rdmaMigrateId(handle, this.channel));
	}

	// Run something while no event is being fetched.
	void withoutFetching(Runnable call) {
		this.fetchLock.lock();
		try {
			call.run();
		}
		finally {
			this.fetchLock.unlock();
		}
	}

	private void serve(long waker, int timeoutMillis) {
		boolean more = this.provider.awaitCmEvent(this.channel, waker, timeoutMillis);
		while (more && !this.thread.isEnding()) {
			more = fetchAndDispatch();
		}
	}

	private boolean fetchAndDispatch() {
		CmEventData data;
		OwnedCmId owner;
		OwnedCmId child = null;
		NativeCmId target;
		InetSocketAddress group;
		this.fetchLock.lock();
		try {
			data = this.provider.rdmaGetCmEvent(this.channel);
			if (data == null) {
				return false;
			}
			owner = this.ids.get((data.listenId() != 0) ? data.listenId() : data.id());
			target = (owner != null) ? owner.current : NativeCmId.NONE;
			EventLedger ledger = (owner != null) ? target.ledger : new EventLedger();
			ledger.delivered(data.event());
			group = target.fetched(data);
			try {
				if (data.type() == CmEventType.CONNECT_REQUEST.value()) {
					child = OwnedCmId.requested(this, owner, data.id());
					this.ids.put(data.id(), child);
				}
			}
			finally {
				acknowledge(ledger);
			}
		}
		finally {
			this.fetchLock.unlock();
		}
		dispatch(data, owner, target, child, group);
		return true;
	}

	// An event whose acknowledgement fails is handed on all the same; it stays in the
	// ledger, and the destroy tries again before it could block.
	private void acknowledge(EventLedger ledger) {
		try {
			ledger.acknowledgeAll(this.provider);
		}
		catch (RuntimeException | Error ex) {
			logger.warn("A CM event could not be acknowledged", ex);
		}
	}

	private void dispatch(CmEventData data, @Nullable OwnedCmId owner, NativeCmId target, @Nullable OwnedCmId child,
			@Nullable InetSocketAddress group) {
		CmEventType type = CmEventType.of(data.type());
		if (type == null) {
			logger.debug("Ignored CM event number {}", data.type());
			return;
		}
		try {
			boolean taken = owner != null && owner.onEvent(target, CmEvent.of(type, data, child, group));
			if (!taken && child != null) {
				this.orphans.accept(child);
			}
		}
		catch (RuntimeException | Error ex) {
			logger.error("Handler of CM id '{}' failed on event {}", (owner != null) ? owner.name() : "unknown", type,
					ex);
			if (child != null && child.state() == CmIdState.REQUESTED) {
				this.orphans.accept(child);
			}
		}
	}

}
