package io.github.rdmaboot.endpoint;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

import io.github.rdmaboot.cm.CmEvent;
import io.github.rdmaboot.cm.CmId;
import io.github.rdmaboot.cm.OwnedCmId;
import io.github.rdmaboot.endpoint.destroy.DestroyGroup;
import io.github.rdmaboot.endpoint.destroy.DestroyMember;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.endpoint.destroy.StepReport;
import io.github.rdmaboot.provider.Errno;
import org.jspecify.annotations.Nullable;

/**
 * What all endpoints have in common: their state and the way in which they are destroyed.
 * The monitor of this object guards the state and the start; no native call is made under
 * it.
 */
abstract class ManagedEndpoint implements RdmaEndpoint {

	private final RdmaEndpoints registry;

	private final String name;

	private final OwnedCmId id;

	private final EndpointStatistics statistics = new EndpointStatistics();

	private EndpointState state = EndpointState.IDLE;

	private @Nullable EndpointStart start;

	private @Nullable CompletableFuture<DestroyReport> destroying;

	private @Nullable Thread conductor;

	private final Quarantine quarantine = new Quarantine();

	private final Relistening relistening;

	private volatile @Nullable RuntimeException lastError;

	private volatile @Nullable DestroyReport lastDestroyReport;

	// What the endpoint is goes to the log. The settings say whether it comes up again by
	// itself after its device was removed.
	ManagedEndpoint(RdmaEndpoints registry, String name, String what, ReconnectSettings relisten) {
		this.registry = registry;
		this.name = name;
		this.relistening = new Relistening(this, what, relisten);
		this.id = new OwnedCmId(name);
	}

	// Return what makes all that the endpoint needs to come up. Called under the monitor,
	// so that what belongs to this start is in place before a destroy looks for it; what
	// it returns is run without a lock, and a failure of that is followed by a destroy.
	abstract Runnable bringUp(EndpointStart start);

	// Return the members that stand for the endpoint itself, if it has more than
	// connections.
	abstract List<DestroyMember> ownMembers();

	// The endpoint stops, and none of its connections is wanted any more. Called under
	// the monitor.
	abstract void stopping(EndpointRuntime runtime);

	// The application is about to stop. A server takes no connection requests any more;
	// what connects goes on, for what is still under way may need it.
	void quiesce() {
	}

	// The endpoint was destroyed because its device is gone. Called without a lock.
	void deviceRemoved(EndpointRuntime runtime) {
		this.relistening.begin(runtime);
	}

	// Be down, with nothing native, until the endpoint is started again.
	synchronized boolean beginWaiting() {
		if (this.start != null || !isStartable()) {
			return false;
		}
		this.state = EndpointState.DOWN;
		return true;
	}

	// The device of the endpoint's own id went away, as an event says.
	void deviceGoes(EndpointRuntime runtime, CmEvent event) {
		down(new RdmaEndpointException(this.name, address(), "rdma_get_cm_event", event.errno(),
				"the endpoint ended with " + Errno.describe(event.errno()) + ": " + event.describe(), null));
		runtime.destroyLater(this, DestroyTrigger.DEVICE_REMOVAL);
	}

	RdmaEndpoints registry() {
		return this.registry;
	}

	// The endpoint may work again after a call that was stuck has returned. Called under
	// the monitor.
	abstract void recovered();

	/**
	 * Start the endpoint.
	 * @param runtime what started endpoints share
	 */
	void start(EndpointRuntime runtime) {
		this.relistening.enable();
		EndpointStart start = beginStart(runtime);
		if (start != null) {
			start.run();
		}
	}

	// Return the start, which is to be run, or null if the endpoint is started already.
	synchronized @Nullable EndpointStart beginStart(EndpointRuntime runtime) {
		if (this.start != null) {
			return null;
		}
		if (!isStartable() || runtime.isClosing()) {
			throw new IllegalStateException(
					"RDMA endpoint '" + this.name + "' cannot be started in state " + this.state);
		}
		EndpointStart start = new EndpointStart(this, runtime, this::bringUp);
		this.start = start;
		this.state = EndpointState.STARTING;
		return start;
	}

	// Whether nothing native is left of the endpoint. Called under the monitor.
	boolean isStartable() {
		return this.state == EndpointState.IDLE || this.state == EndpointState.DOWN;
	}

	// Return the start in force, until the endpoint is destroyed.
	synchronized @Nullable EndpointStart currentStart() {
		return this.start;
	}

	// Begin to destroy the endpoint with the connections that nobody else is destroying.
	Begun beginDestroy() {
		return beginDestroy((start) -> true);
	}

	// The same unless it was started meanwhile, and what was to be destroyed is gone.
	Begun beginDestroy(@Nullable EndpointStart doomed) {
		return beginDestroy((start) -> start == null || start == doomed);
	}

	private Begun beginDestroy(Predicate<@Nullable EndpointStart> doomed) {
		EndpointRuntime runtime;
		CompletableFuture<DestroyReport> done;
		synchronized (this) {
			if (!doomed.test(this.start)) {
				return Begun.NOTHING;
			}
			if (this.destroying != null) {
				boolean inside = Teller.isWaitedForBy((thread) -> thread == this.conductor);
				return new Begun(null, List.of(), this.destroying, inside);
			}
			runtime = runtime();
			if (runtime == null && this.state == EndpointState.DOWN) {
				this.state = EndpointState.IDLE;
				this.relistening.cancel();
			}
			boolean untouched = this.state == EndpointState.IDLE || this.state == EndpointState.QUARANTINED;
			if (runtime == null && allConnections().isEmpty() && untouched) {
				return Begun.NOTHING;
			}
			done = new CompletableFuture<>();
			this.destroying = done;
			this.conductor = Thread.currentThread();
			this.state = EndpointState.DESTROYING;
			this.start = null;
			if (runtime != null) {
				stopping(runtime);
			}
		}
		List<DestroyMember> members = new ArrayList<>(ownMembers());
		List<RdmaConnection> claimed = new ArrayList<>();
		for (RdmaConnection connection : allConnections()) {
			if (connection.end().claim()) {
				claimed.add(connection);
				members.add(connection.teardown().member());
			}
		}
		return new Begun(new DestroyGroup(this.name, 0, members), claimed, done, false);
	}

	// The endpoint was destroyed, and so were its connections.
	void endDestroy(DestroyReport report) {
		// That of the removal says more than those of the attempts to come up again.
		if (report.result() != DestroyResult.SUCCESS || report.trigger() != DestroyTrigger.RELISTEN) {
			this.lastDestroyReport = report;
		}
		CompletableFuture<DestroyReport> destroying;
		synchronized (this) {
			this.quarantine.add(report);
			this.state = this.quarantine.isEmpty() ? EndpointState.IDLE : EndpointState.QUARANTINED;
			destroying = this.destroying;
			this.destroying = null;
			this.conductor = null;
		}
		if (destroying != null) {
			destroying.complete(report);
		}
	}

	synchronized @Nullable EndpointRuntime runtime() {
		return (this.start != null) ? this.start.runtime() : null;
	}

	/**
	 * The endpoint is up, unless it is being destroyed.
	 */
	void up() {
		this.lastError = null;
		move(EndpointState.UP);
		this.relistening.reset();
	}

	// The endpoint is down, unless it is being destroyed.
	void down(@Nullable RuntimeException error) {
		if (error != null) {
			this.lastError = error;
		}
		move(EndpointState.DOWN);
	}

	synchronized void move(EndpointState to) {
		if (this.start != null && this.state != EndpointState.QUARANTINED) {
			this.state = to;
		}
	}

	// A connection was destroyed, with the endpoint or alone.
	void remember(DestroyReport report) {
		this.lastDestroyReport = report;
		synchronized (this) {
			if (report.connection() != 0) {
				this.quarantine.add(report);
			}
			if (!this.quarantine.isEmpty()) {
				this.state = EndpointState.QUARANTINED;
			}
		}
	}

	// A call that had been left behind returned, and what depended on it was freed.
	synchronized void returnedLate(StepReport step) {
		this.quarantine.returned(step);
		if (this.quarantine.isEmpty() && this.state == EndpointState.QUARANTINED) {
			this.state = (this.start != null) ? EndpointState.DOWN : EndpointState.IDLE;
			recovered();
			this.relistening.resume();
		}
	}

	// Return the connections, those that are not established included.
	Collection<RdmaConnection> allConnections() {
		return List.of();
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public EndpointStatistics statistics() {
		return this.statistics;
	}

	@Override
	public synchronized EndpointState state() {
		return this.state;
	}

	// Return the CM ids besides those of the endpoint and its connections.
	Collection<CmId> otherIds() {
		return List.of();
	}

	OwnedCmId ownedCmId() {
		return this.id;
	}

	@Override
	public CmId cmId() {
		return this.id;
	}

	@Override
	public Collection<RdmaConnection> connections() {
		return allConnections().stream().filter(RdmaConnection::isOpen).toList();
	}

	@Override
	public @Nullable RuntimeException lastError() {
		return this.lastError;
	}

	@Override
	public @Nullable DestroyReport lastDestroyReport() {
		return this.lastDestroyReport;
	}

	@Override
	public synchronized List<StuckCall> stuckCalls() {
		return this.quarantine.calls();
	}

	@Override
	public DestroyReport destroy() {
		this.relistening.disable();
		return this.registry.destroy(this, DestroyTrigger.MANUAL);
	}

	@Override
	public void start() {
		this.registry.start(this);
	}

	/**
	 * Destroy that began, or that somebody else is conducting.
	 *
	 * @param group what to destroy, or {@code null} if that is not the caller's duty
	 * @param claimed the connections in the group
	 * @param done completes with the report, or {@code null} if there is nothing to
	 * destroy
	 * @param inside whether the calling thread is the one that conducts it, and so must
	 * not wait for it
	 */
	record Begun(@Nullable DestroyGroup group, List<RdmaConnection> claimed,
			@Nullable CompletableFuture<DestroyReport> done, boolean inside) {

		private static final Begun NOTHING = new Begun(null, List.of(), null, false);

	}

}
