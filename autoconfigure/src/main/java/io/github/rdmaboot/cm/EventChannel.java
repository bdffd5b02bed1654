package io.github.rdmaboot.cm;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import io.github.rdmaboot.provider.CmEventData;
import io.github.rdmaboot.provider.CmEventType;
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

	/**
	 * Bounds the wait so that a lost wake-up delays the end of the thread and no more.
	 */
	private static final int TICK_MILLIS = 250;

	private final RdmaProvider provider;

	private final Consumer<OwnedCmId> orphans;

	private final long channel;

	private final long waker;

	private final Thread thread;

	private final ReentrantLock fetchLock = new ReentrantLock();

	private final Map<Long, OwnedCmId> ids = new HashMap<>();

	private int callsInProgress;

	private volatile boolean closing;

	private boolean destroyed;

	private EventChannel(RdmaProvider provider, String threadName, Consumer<OwnedCmId> orphans, long channel,
			long waker) {
		this.provider = provider;
		this.orphans = orphans;
		this.channel = channel;
		this.waker = waker;
		this.thread = new Thread(this::run, threadName);
		this.thread.setDaemon(true);
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
		long waker = provider.createWaker();
		long channel;
		try {
			channel = provider.rdmaCreateEventChannel();
		}
		catch (RuntimeException ex) {
			provider.destroyWaker(waker);
			throw ex;
		}
		EventChannel eventChannel = new EventChannel(provider, threadName, orphans, channel, waker);
		try {
			eventChannel.thread.start();
		}
		catch (OutOfMemoryError ex) {
			provider.rdmaDestroyEventChannel(channel);
			provider.destroyWaker(waker);
			throw ex;
		}
		return eventChannel;
	}

	RdmaProvider provider() {
		return this.provider;
	}

	long handle() {
		return this.channel;
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
	 * @throws IllegalStateException if ids are attached or the thread does not end in
	 * time; the channel is then left to the end of the process
	 */
	public synchronized void close(Duration timeout) {
		if (this.destroyed) {
			return;
		}
		withoutFetching(() -> this.closing = true);
		this.provider.wake(this.waker);
		if (!join(timeout)) {
			throw new IllegalStateException("Thread '" + this.thread.getName() + "' did not end within " + timeout
					+ "; its event channel is left to the end of the process");
		}
		int left = attachedIds();
		if (left > 0) {
			throw new IllegalStateException(
					left + " CM ids are still attached; their event channel is left to the end of the process");
		}
		this.destroyed = true;
		this.provider.rdmaDestroyEventChannel(this.channel);
		this.provider.destroyWaker(this.waker);
	}

	private boolean join(Duration timeout) {
		try {
			this.thread.join(Math.max(1, timeout.toMillis()));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return !this.thread.isAlive();
	}

	// Create an id. The channel counts it from before the call, and so outlives the call.
	long creating(OwnedCmId id, LongSupplier createCall) {
		this.fetchLock.lock();
		try {
			if (this.closing) {
				throw new IllegalStateException("The event channel is closed");
			}
			this.callsInProgress++;
		}
		finally {
			this.fetchLock.unlock();
		}
		long handle = 0;
		try {
			handle = createCall.getAsLong();
			return handle;
		}
		finally {
			this.fetchLock.lock();
			try {
				this.callsInProgress--;
				if (handle != 0) {
					this.ids.put(handle, id);
				}
			}
			finally {
				this.fetchLock.unlock();
			}
		}
	}

	// Take an id off the channel and destroy it. Nothing of it is un-acknowledged by
	// then, and
	// an event that is fetched later is acknowledged at once, so the call cannot wait for
	// one.
	// The channel counts the id until the call has returned, and so outlives it.
	void destroying(long handle, EventLedger ledger, Runnable destroyCall) {
		this.fetchLock.lock();
		try {
			ledger.acknowledgeAll(this.provider);
			this.ids.remove(handle);
			this.callsInProgress++;
		}
		finally {
			this.fetchLock.unlock();
		}
		try {
			destroyCall.run();
		}
		finally {
			withoutFetching(() -> this.callsInProgress--);
		}
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

	private void run() {
		String lastProblem = "";
		while (!this.closing) {
			try {
				if (this.provider.awaitCmEvent(this.channel, this.waker, TICK_MILLIS)) {
					while (fetchAndDispatch()) {
						if (this.closing) {
							break;
						}
					}
				}
				lastProblem = "";
			}
			catch (RuntimeException | Error ex) {
				String problem = String.valueOf(ex.getMessage());
				if (!problem.equals(lastProblem)) {
					logger.warn("Event channel of thread '{}' could not fetch or acknowledge an event and goes on",
							this.thread.getName(), ex);
				}
				lastProblem = problem;
				LockSupport.parkNanos(Duration.ofMillis(TICK_MILLIS).toNanos());
			}
		}
	}

	private boolean fetchAndDispatch() {
		CmEventData data;
		OwnedCmId owner;
		OwnedCmId child = null;
		NativeCmId target;
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
		dispatch(data, owner, target, child);
		return true;
	}

	// An event whose acknowledgement fails is handed on all the same; it stays in the
	// ledger,
	// and the destroy tries again before it could block.
	private void acknowledge(EventLedger ledger) {
		try {
			ledger.acknowledgeAll(this.provider);
		}
		catch (RuntimeException ex) {
			logger.warn("A CM event could not be acknowledged", ex);
		}
	}

	private void dispatch(CmEventData data, @Nullable OwnedCmId owner, NativeCmId target, @Nullable OwnedCmId child) {
		CmEventType type = CmEventType.of(data.type());
		if (type == null) {
			logger.debug("Ignored CM event number {}", data.type());
			return;
		}
		try {
			boolean taken = owner != null && owner.onEvent(target, new CmEvent(type, data.status(), data.privateData(),
					data.responderResources(), data.initiatorDepth(), child));
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
