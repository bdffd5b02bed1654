package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.github.rdmaboot.cm.CmIdState;
import io.github.rdmaboot.endpoint.RuntimeSlot.Stop;
import io.github.rdmaboot.endpoint.destroy.DestroyLimits;
import io.github.rdmaboot.endpoint.destroy.DestroyListener;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.DeviceDescription;
import io.github.rdmaboot.provider.RdmaProvider;
import org.jspecify.annotations.Nullable;

/**
 * Registry of the endpoints of an application, which starts them and destroys them in
 * order. All methods may be called from any thread.
 */
public final class RdmaEndpoints implements AutoCloseable {

	private static final Duration CALL_TIMEOUT = Duration.ofSeconds(5);

	private static final List<Class<?>> START_ORDER = List.of(RdmaServer.class, RdmaDatagramEndpoint.class,
			RdmaClient.class);

	private final ShutdownSettings shutdown;

	private final EndpointDirectory directory = new EndpointDirectory();

	private final EndpointListeners listeners = new EndpointListeners(this.directory::returnedLate);

	private final RuntimeSlot slot = new RuntimeSlot();

	private final CmIdCensus census = new CmIdCensus(this.directory::all);

	private final RegistryStarts starts;

	private final RegistryStops stops;

	/**
	 * Create a registry. Makes no native call.
	 * @param providers opens the provider at each start, on a thread of its own; it is
	 * closed at each stop
	 * @param shutdown the limits of a destroy
	 * @param handlerExecutor the executor of message handlers and completed futures,
	 * which must not run them on the calling thread, or {@code null} for daemon threads
	 * of the registry's own
	 */
	public RdmaEndpoints(Supplier<? extends RdmaProvider> providers, ShutdownSettings shutdown,
			@Nullable Executor handlerExecutor) {
		this(providers, CALL_TIMEOUT, shutdown, MemoryPoolSettings.defaults(), handlerExecutor);
	}

	/**
	 * Create a registry. Makes no native call.
	 * @param providers opens the provider at each start, on a thread of its own; it is
	 * closed at each stop
	 * @param callTimeout how long one native call may take that is no part of a destroy,
	 * 5 s unless said otherwise: the start fails with one that does not return, and the
	 * request is rejected that a server was accepting. Attempts to connect and joins of
	 * groups have the limits of their endpoint
	 * @param shutdown the limits of a destroy
	 * @param memoryPool the registered memory that the connections on a device share
	 * @param handlerExecutor the executor of message handlers and completed futures,
	 * which must not run them on the calling thread, or {@code null} for daemon threads
	 * of the registry's own
	 */
	public RdmaEndpoints(Supplier<? extends RdmaProvider> providers, Duration callTimeout, ShutdownSettings shutdown,
			MemoryPoolSettings memoryPool, @Nullable Executor handlerExecutor) {
		Settings.positive("call-timeout", callTimeout);
		this.shutdown = shutdown;
		this.stops = new RegistryStops(limits(), this.listeners);
		this.starts = new RegistryStarts(this.slot, providers, (provider) -> StartedRuntime.open(provider, memoryPool,
				handlerExecutor, callTimeout, limits(), this.listeners), this.stops::discard, callTimeout);
	}

	/**
	 * Add a server, which is started with the registry.
	 * @param settings the settings
	 * @return the server
	 * @throws IllegalArgumentException if the name is taken
	 */
	public RdmaServer addServer(ServerSettings settings) {
		return this.directory.add(new RdmaServer(this, settings));
	}

	/**
	 * Add a client, which is started with the registry.
	 * @param settings the settings
	 * @return the client
	 * @throws IllegalArgumentException if the name is taken
	 */
	public RdmaClient addClient(ClientSettings settings) {
		return this.directory.add(new RdmaClient(this, settings));
	}

	/**
	 * Add a datagram endpoint, which is started with the registry.
	 * @param settings the settings
	 * @return the datagram endpoint
	 * @throws IllegalArgumentException if the name is taken
	 */
	public RdmaDatagramEndpoint addDatagrams(DatagramSettings settings) {
		return this.directory.add(new RdmaDatagramEndpoint(this, settings));
	}

	/**
	 * Return the endpoints.
	 * @return the endpoints in the order in which they were added
	 */
	public Collection<RdmaEndpoint> endpoints() {
		return this.directory.all().stream().map(RdmaEndpoint.class::cast).toList();
	}

	/**
	 * Return an endpoint.
	 * @param name the name
	 * @return the endpoint, or {@code null} if there is none
	 */
	public @Nullable RdmaEndpoint find(String name) {
		return this.directory.find(name);
	}

	/**
	 * Add a listener of destroys.
	 * @param listener the listener
	 */
	public void addDestroyListener(DestroyListener listener) {
		this.listeners.add(listener);
	}

	/**
	 * Add a listener of attempts to connect.
	 * @param listener the listener
	 */
	public void addConnectListener(ConnectListener listener) {
		this.listeners.add(listener);
	}

	/**
	 * Start all endpoints, servers first and clients last. Does nothing while started. If
	 * it fails, everything that was made by then is destroyed before the exception is
	 * thrown.
	 * @throws RdmaEndpointException if an endpoint cannot be started
	 * @throws io.github.rdmaboot.provider.RdmaUnavailableException if RDMA cannot be used
	 * @throws RdmaOpeningException if another call fails that is for no endpoint alone:
	 * the look at the devices or the event channel, on ETIMEDOUT if it does not return in
	 * time
	 * @throws IllegalStateException if the registry is closed or being stopped, or a call
	 * of an earlier start or destroy is stuck; nothing is made then
	 */
	public void start() {
		requireNothingStuck();
		if (!this.slot.beginStart()) {
			return;
		}
		StartedRuntime runtime = this.starts.open();
		try {
			for (Class<?> kind : START_ORDER) {
				this.directory.all().stream().filter(kind::isInstance).forEach((endpoint) -> endpoint.start(runtime));
			}
		}
		catch (RuntimeException | Error ex) {
			destroyAll(DestroyTrigger.FAILED_START);
			throw ex;
		}
	}

	private void requireNothingStuck() {
		if (isRunning()) {
			return;
		}
		for (ManagedEndpoint endpoint : this.directory.all()) {
			if (!endpoint.stuckCalls().isEmpty()) {
				throw new IllegalStateException("RDMA endpoint '" + endpoint.name()
						+ "' cannot be started while calls of its last destroy are stuck: " + endpoint.stuckCalls());
			}
		}
	}

	void start(ManagedEndpoint endpoint) {
		StartedRuntime runtime = this.slot.runtime();
		if (runtime == null || this.slot.isStopping() || (runtime.isQuiesced() && endpoint instanceof RdmaServer)) {
			throw new IllegalStateException(
					"RDMA endpoint '" + endpoint.name() + "' cannot be started while its registry is stopped");
		}
		try {
			endpoint.start(runtime);
		}
		catch (RuntimeException | Error ex) {
			// A start that was refused or overtaken has left nothing.
			EndpointStart start = endpoint.currentStart();
			if (start != null && start.hasFailed()) {
				destroyFailed(endpoint, start, DestroyTrigger.FAILED_START, () -> {
				});
			}
			throw ex;
		}
	}

	// Destroy an endpoint, or wait for its destroy that is under way.
	DestroyReport destroy(ManagedEndpoint endpoint, DestroyTrigger trigger) {
		try (DestroyTelling telling = this.listeners.begin(this.shutdown.timeout())) {
			return new EndpointsDestroy(limits(), telling).run(List.of(endpoint), trigger).get(0);
		}
	}

	// Destroy what a start made that failed, unless somebody else has done so and started
	// the endpoint anew, and run what comes then, which is not held up by listeners.
	void destroyFailed(ManagedEndpoint endpoint, EndpointStart failed, DestroyTrigger trigger, Runnable then) {
		try (DestroyTelling telling = this.listeners.begin(this.shutdown.timeout(), trigger)) {
			try {
				new EndpointsDestroy(limits(), telling).run(endpoint, failed, trigger);
			}
			finally {
				then.run();
			}
		}
	}

	/**
	 * Let servers reject connection requests from now on, with a reason that peers can
	 * read, while established connections go on working until {@link #destroyAll}.
	 * Clients are left as they are. Holds until the next start; does nothing while
	 * stopped.
	 */
	public void quiesce() {
		StartedRuntime runtime = this.slot.runtime();
		if (runtime != null) {
			runtime.quiesce();
			this.directory.all().forEach(ManagedEndpoint::quiesce);
		}
	}

	/**
	 * Destroy all endpoints in order and within the configured limits, and free
	 * everything else. Does nothing while stopped. A call that finds a stop under way
	 * waits for that one, unless it comes from inside of it, from a listener for
	 * instance: then it returns at once.
	 * @param trigger why
	 * @return a report for each endpoint, empty if the registry was not started or the
	 * call came from inside a stop
	 */
	public List<DestroyReport> destroyAll(DestroyTrigger trigger) {
		Stop stop = this.slot.beginStop();
		if (stop == null) {
			return List.of();
		}
		StartedRuntime runtime = stop.runtime();
		if (runtime == null) {
			return this.stops.join(stop);
		}
		List<DestroyReport> reports = List.of();
		try {
			reports = this.stops.run(runtime, this.directory.all(), trigger);
		}
		finally {
			this.slot.endStop();
			stop.reports().complete(reports);
		}
		return reports;
	}

	/**
	 * Return the calls that stops, and starts that were given up, left behind, apart from
	 * those of endpoints.
	 * @return the calls, empty unless event channel or provider could not be closed in
	 * time
	 */
	public List<StuckCall> stuckCalls() {
		return this.stops.stuckCalls();
	}

	private DestroyLimits limits() {
		return new DestroyLimits(this.shutdown.timeout(), this.shutdown.disconnectGrace(), this.shutdown.drainTimeout(),
				this.shutdown.destroyTimeout());
	}

	/**
	 * Return whether the registry is started.
	 * @return whether it is
	 */
	public boolean isRunning() {
		return this.slot.runtime() != null;
	}

	/**
	 * Return the name of the provider in use.
	 * @return the name, or {@code null} before the first start
	 */
	public @Nullable String providerName() {
		return this.starts.providerName();
	}

	/**
	 * Return the devices that were present at the last start.
	 * @return the devices
	 */
	public List<DeviceDescription> devices() {
		return this.starts.devices();
	}

	/**
	 * Return how much memory the pools of the devices have registered.
	 * @return the size in bytes, in use or not
	 */
	public long pooledBytes() {
		StartedRuntime runtime = this.slot.runtime();
		return (runtime != null) ? runtime.devices().pooledBytes() : 0;
	}

	/**
	 * Return the limits of a destroy.
	 * @return the limits
	 */
	public ShutdownSettings shutdownSettings() {
		return this.shutdown;
	}

	/**
	 * Return how many events were delivered and not acknowledged.
	 * @return the count, 0 unless an acknowledgement failed
	 */
	public long unacknowledgedEvents() {
		return this.census.unacknowledgedEvents();
	}

	/**
	 * Return how many CM ids are in which state.
	 * @return the counts, without states that no id is in
	 */
	public Map<CmIdState, Integer> idsByState() {
		return this.census.idsByState();
	}

	/**
	 * Destroy all endpoints for good. Does nothing the second time.
	 */
	@Override
	public void close() {
		this.slot.close();
		destroyAll(DestroyTrigger.SHUTDOWN);
	}

}
