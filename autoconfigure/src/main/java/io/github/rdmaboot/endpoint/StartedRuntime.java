package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.rdmaboot.cm.Addresses;
import io.github.rdmaboot.cm.CmIdState;
import io.github.rdmaboot.cm.EventChannel;
import io.github.rdmaboot.cm.OwnedCmId;
import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.endpoint.destroy.DestroyLimits;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.endpoint.destroy.OrderlyDestroy;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.verbs.Devices;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Event channel, devices and threads of a registry, from one start to its stop. All
 * threads are daemons and end with it.
 */
final class StartedRuntime implements EndpointRuntime {

	private static final Logger logger = LoggerFactory.getLogger(StartedRuntime.class);

	private static final AtomicInteger starts = new AtomicInteger();

	private static final int MAX_STARTING = 4;

	private static final int MAX_CONNECTING = 16;

	private static final int MAX_ACCEPTING = 4;

	/** How long one destroy may take before the next one gets a thread of its own. */
	private static final Duration DESTROY_PATIENCE = Duration.ofMillis(250);

	private static final int TIMER_IDLE_MILLIS = 100;

	private final RdmaProvider provider;

	private final Devices devices;

	private final EndpointListeners listeners;

	private final Duration callTimeout;

	private final DestroyLimits limits;

	private final WorkerPool startExecutor;

	private final WorkerPool connectExecutor;

	private final WorkerPool acceptExecutor;

	private final WorkerPool conductors;

	private final ScheduledThreadPoolExecutor scheduler;

	private final Executor handlerExecutor;

	private final Runnable handlerShutdown;

	private final EventChannel channel;

	private final ConnectionReaper reaper;

	private volatile boolean quiesced;

	private volatile boolean closing;

	private StartedRuntime(RdmaProvider provider, MemoryPoolSettings memoryPool, @Nullable Executor handlerExecutor,
			Duration callTimeout, DestroyLimits limits, EndpointListeners listeners) {
		String prefix = "rdma-" + starts.incrementAndGet();
		this.provider = provider;
		this.callTimeout = callTimeout;
		this.limits = limits;
		this.listeners = listeners;
		this.devices = new Devices(provider, prefix, memoryPool.limits());
		this.startExecutor = new WorkerPool(prefix + "-start", MAX_STARTING);
		this.connectExecutor = new WorkerPool(prefix + "-connect", MAX_CONNECTING);
		this.acceptExecutor = new WorkerPool(prefix + "-accept", MAX_ACCEPTING);
		this.conductors = new WorkerPool(prefix + "-destroy", 2);
		this.scheduler = new ScheduledThreadPoolExecutor(1, threads(prefix + "-timer"));
		this.scheduler.setRemoveOnCancelPolicy(true);
		// Nothing is left to be limited when the timer has ended.
		this.scheduler.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
		if (handlerExecutor != null) {
			HandlerExecutor handlers = new HandlerExecutor(handlerExecutor, threads(prefix + "-handover"));
			this.handlerExecutor = handlers;
			this.handlerShutdown = handlers::shutdown;
		}
		else {
			ExecutorService own = new ThreadPoolExecutor(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS,
					new SynchronousQueue<>(), threads(prefix + "-handler"));
			this.handlerExecutor = new SafeExecutor(own);
			this.handlerShutdown = own::shutdown;
		}
		this.reaper = new ConnectionReaper(this::conduct, (listener) -> new OrderlyDestroy(limits, listener),
				() -> listeners.begin(limits.total()), this::letGoOfRemovedDevices);
		try {
			// What is scheduled later, while there may be no thread, is carried out.
			this.scheduler.prestartCoreThread();
			this.channel = EventChannel.open(provider, prefix + "-cm-events", this::destroyOrphan);
		}
		catch (RuntimeException | Error ex) {
			this.scheduler.shutdownNow();
			throw ex;
		}
	}

	static StartedRuntime open(RdmaProvider provider, MemoryPoolSettings memoryPool, @Nullable Executor handlerExecutor,
			Duration callTimeout, DestroyLimits limits, EndpointListeners listeners) {
		return new StartedRuntime(provider, memoryPool, handlerExecutor, callTimeout, limits, listeners);
	}

	private static ThreadFactory threads(String name) {
		AtomicInteger numbers = new AtomicInteger();
		return (task) -> {
			Thread thread = new Thread(task, name + "-" + numbers.incrementAndGet());
			thread.setDaemon(true);
			return thread;
		};
	}

	/**
	 * Take no connection requests any more.
	 */
	void quiesce() {
		this.quiesced = true;
	}

	/**
	 * Begin no attempts to connect any more.
	 */
	void stopNewWork() {
		this.closing = true;
	}

	// End the threads and free what is left, when all endpoints have been destroyed.
	ChannelClose close(Deadline total) {
		this.closing = true;
		List<WorkerPool> pools = List.of(this.startExecutor, this.connectExecutor, this.acceptExecutor,
				this.conductors);
		pools.forEach(WorkerPool::shutdown);
		Deadline threads = Deadline.after(this.limits.call()).orEarlier(total);
		pools.forEach((pool) -> pool.awaitEnd(threads, this.limits.call()));
		if (pools.stream().allMatch(WorkerPool::isTerminated)) {
			this.scheduler.shutdownNow();
		}
		else {
			// A thread that is left may come back and make calls that somebody waits for,
			// so they must be limited. The timer has a thread then, and no longer.
			this.scheduler.setKeepAliveTime(TIMER_IDLE_MILLIS, TimeUnit.MILLISECONDS);
			this.scheduler.allowCoreThreadTimeOut(true);
		}
		this.devices.abandon();
		ChannelClose close = new ChannelClose(this.channel, this.provider);
		close.runWithin(total);
		this.handlerShutdown.run();
		return close;
	}

	@Override
	public void destroyOrphan(OwnedCmId id) {
		try {
			this.acceptExecutor.execute(() -> orphanWatch(id).watch("rdma_reject", "rejecting it", callTimeout(),
					() -> rejectAndDestroy(id)));
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			rejectAndDestroy(id);
		}
	}

	private CallWatch orphanWatch(OwnedCmId id) {
		return new CallWatch(this, this.acceptExecutor, id.name(), Addresses.format(id.peerAddress()),
				(failure) -> logger.warn("A connection request that nobody wants is stuck: {}", failure.getMessage()));
	}

	private static void rejectAndDestroy(OwnedCmId id) {
		try {
			if (id.state() == CmIdState.REQUESTED) {
				id.reject(RejectReason.GOING_AWAY.bytes());
			}
		}
		catch (RdmaException ex) {
			if (ex.errno() != Errno.EINVAL.value()) {
				logger.debug("Could not reject a connection request that nobody wants", ex);
			}
		}
		catch (RuntimeException | Error ex) {
			// Its device went away meanwhile, for instance.
			logger.debug("A connection request that nobody wants cannot be rejected any more", ex);
		}
		try {
			id.destroy();
		}
		catch (RuntimeException | Error ex) {
			logger.warn("Could not destroy the id of a connection request that nobody wants", ex);
		}
	}

	@Override
	public void destroyLater(RdmaConnection connection, DestroyTrigger trigger) {
		this.reaper.destroy(connection, trigger);
	}

	@Override
	public void destroyLater(ManagedEndpoint endpoint, DestroyTrigger trigger) {
		EndpointStart doomed = endpoint.currentStart();
		conduct(() -> {
			try (DestroyTelling telling = this.listeners.begin(this.limits.total())) {
				new EndpointsDestroy(this.limits, telling).run(endpoint, doomed, trigger);
				// Not held up by listeners, which the end waits for.
				if (trigger == DestroyTrigger.DEVICE_REMOVAL) {
					telling.toldAll();
					letGoOfRemovedDevices();
					endpoint.deviceRemoved(this);
				}
			}
		});
	}

	private void conduct(Runnable destroy) {
		this.conductors.execute(destroy, DESTROY_PATIENCE, this.scheduler);
	}

	// librdmacm keeps a device open that went away, which keeps its driver from
	// unloading, until it looks at the devices anew. That opens those that are new.
	private void letGoOfRemovedDevices() {
		new CallWatch(this, this.conductors, "all", "all devices",
				(failure) -> logger.warn("A removed device may still be open: {}", failure.getMessage()))
			.watch("rdma_get_devices", "looking at the devices anew", callTimeout(), this::lookAtDevicesAnew);
	}

	private void lookAtDevicesAnew() {
		try {
			this.provider.rdmaFreeDevices(this.provider.rdmaGetDevices());
		}
		catch (RdmaException ex) {
			logger.debug("No device is left after a removal", ex);
		}
		catch (RuntimeException | Error ex) {
			// What was on the device shall come up again all the same.
			logger.warn("A removed device may still be open", ex);
		}
	}

	@Override
	public EventChannel channel() {
		return this.channel;
	}

	@Override
	public boolean isQuiesced() {
		return this.quiesced;
	}

	@Override
	public boolean isClosing() {
		return this.closing;
	}

	@Override
	public Devices devices() {
		return this.devices;
	}

	@Override
	public Executor handlerExecutor() {
		return this.handlerExecutor;
	}

	@Override
	public Executor startExecutor() {
		return this.startExecutor;
	}

	@Override
	public Executor connectExecutor() {
		return this.connectExecutor;
	}

	@Override
	public Executor acceptExecutor() {
		return this.acceptExecutor;
	}

	@Override
	public Future<?> executeLater(Runnable task, long nanos) {
		return scheduler().schedule(() -> {
			try {
				acceptExecutor().execute(task);
			}
			catch (RejectedExecutionException | OutOfMemoryError ex) {
				logger.debug("No thread for what was to be done later", ex);
				task.run();
			}
		}, nanos, TimeUnit.NANOSECONDS);
	}

	@Override
	public Future<?> attemptLater(Runnable attempt, Duration pause) {
		return this.scheduler.schedule(() -> {
			if (!this.closing) {
				attempt.run();
			}
		}, pause.toMillis(), TimeUnit.MILLISECONDS);
	}

	@Override
	public ScheduledExecutorService scheduler() {
		return this.scheduler;
	}

	@Override
	public Duration callTimeout() {
		return this.callTimeout;
	}

	@Override
	public void connectEnded(String endpoint, Duration took, @Nullable RdmaEndpointException error) {
		this.listeners.connectEnded(endpoint, took, error);
	}

}
