package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

import io.github.rdmaboot.cm.Addresses;
import io.github.rdmaboot.endpoint.destroy.DestroyMember;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Client: a CM id that connects, and connects again when the connection was lost.
 * <p>
 * The CM id serves one connection after the other: a new attempt begins when the native
 * objects of the one before have been destroyed. The monitor of this object guards the
 * attempt, the waiting future and the timer.
 */
public final class RdmaClient extends ConnectedEndpoint {

	private static final Logger logger = LoggerFactory.getLogger(RdmaClient.class);

	private final ClientSettings settings;

	private final Backoff backoff;

	private final ClientFailures failures;

	private final RepeatedErrno logged = new RepeatedErrno();

	private @Nullable RdmaConnection current;

	private @Nullable CompletableFuture<RdmaConnection> waiting;

	private @Nullable Future<?> retry;

	private boolean everConnected;

	// The connection whose attempt is under way, and the report if it was destroyed
	// before the attempt has told its outcome, which it does by itself.
	private @Nullable RdmaConnection attempting;

	private @Nullable DestroyReport destroyedMeanwhile;

	RdmaClient(RdmaEndpoints registry, ClientSettings settings) {
		super(registry, settings, "RDMA client", Relistening.NEVER);
		this.settings = settings;
		this.backoff = new Backoff(settings.reconnect());
		this.failures = new ClientFailures(name(), address());
	}

	/**
	 * Return the settings.
	 * @return the settings
	 */
	public ClientSettings settings() {
		return this.settings;
	}

	/**
	 * Return the established connection. A client that connects lazily connects now,
	 * which blocks within the limits of resolving and connecting.
	 * @return the connection
	 * @throws RdmaEndpointException if connecting fails
	 * @throws ConnectionClosedException if there is no connection at present
	 */
	public RdmaConnection connection() {
		RdmaConnection connection;
		synchronized (this) {
			connection = this.current;
		}
		if (connection != null && connection.isOpen()) {
			return connection;
		}
		if (this.settings.startup() == ClientStartup.LAZY) {
			return this.failures.join(connect());
		}
		RuntimeException error = lastError();
		String state = (state() == EndpointState.STARTING) ? "' is still connecting to " : "' is not connected to ";
		throw new ConnectionClosedException(
				"RDMA client '" + name() + state + address() + ((error != null) ? ": " + error.getMessage() : ""),
				error);
	}

	/**
	 * Connect unless connected or connecting already.
	 * @return completes with the established connection, and exceptionally with a
	 * {@link RdmaEndpointException} when the attempt fails
	 */
	public CompletableFuture<RdmaConnection> connect() {
		synchronized (this) {
			if (runtime() == null) {
				return CompletableFuture
					.failedFuture(new IllegalStateException("RDMA client '" + name() + "' is not started"));
			}
			RdmaConnection connection = this.current;
			if (connection != null && connection.isOpen()) {
				return CompletableFuture.completedFuture(connection);
			}
			CompletableFuture<RdmaConnection> waiting = this.waiting;
			if (waiting == null) {
				waiting = new CompletableFuture<>();
				this.waiting = waiting;
			}
			if (connection == null) {
				if (state() == EndpointState.QUARANTINED) {
					this.waiting = null;
					return CompletableFuture.failedFuture(stuck());
				}
				attemptNow();
			}
			return waiting.copy();
		}
	}

	@Override
	public String address() {
		return Addresses.format(this.settings.address(), this.settings.port());
	}

	@Override
	Runnable bringUp(EndpointStart start) {
		return () -> beginToConnect(start);
	}

	private void beginToConnect(EndpointStart start) {
		start.requireCpu(this.settings.completion());
		start.requireInForce();
		switch (this.settings.startup()) {
			case REQUIRED -> this.failures.join(connect());
			case BACKGROUND -> beginConnecting();
			case LAZY -> start.whileInForce(() -> move(EndpointState.IDLE));
		}
	}

	private synchronized void beginConnecting() {
		if (this.current == null) {
			attemptNow();
		}
	}

	/**
	 * Begin an attempt. Called under the monitor, while no connection exists.
	 */
	private void attemptNow() {
		cancelRetry();
		ConnectSequence sequence = new ConnectSequence(this.settings);
		RdmaConnection connection = addConnection((runtime, number) -> new RdmaConnection(this, number, ownedCmId(),
				runtime, sequence::onEvent, sequence::cancel));
		EndpointRuntime runtime = runtime();
		if (connection == null || runtime == null) {
			return;
		}
		this.current = connection;
		this.attempting = connection;
		move(EndpointState.STARTING);
		try {
			runtime.connectExecutor().execute(new ConnectAttempt(this, runtime, connection, sequence));
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			this.attempting = null;
			connection.end(DestroyTrigger.DISCONNECT,
					new IllegalStateException("No thread to connect with: " + ex, ex));
		}
	}

	// An attempt failed, or passed a limit in a call.
	void attemptFailed(RdmaConnection connection, RdmaEndpointException error) {
		CompletableFuture<RdmaConnection> waiting = null;
		synchronized (this) {
			if (this.current == connection) {
				waiting = this.waiting;
				this.waiting = null;
				down(error);
			}
		}
		connection.end(DestroyTrigger.DISCONNECT, error);
		if (waiting != null) {
			CompletableFuture<RdmaConnection> untold = waiting;
			connection.executeHandler(() -> untold.completeExceptionally(error));
		}
	}

	// An attempt has told its outcome, or passed a limit in a call.
	synchronized void attemptOver(RdmaConnection connection) {
		if (this.attempting == connection) {
			DestroyReport report = this.destroyedMeanwhile;
			this.attempting = null;
			this.destroyedMeanwhile = null;
			if (report != null) {
				goOn(connection, report);
			}
		}
	}

	@Override
	void established(RdmaConnection connection) {
		CompletableFuture<RdmaConnection> waiting;
		synchronized (this) {
			if (runtime() == null || connection.end().isBegun()) {
				return;
			}
			waiting = this.waiting;
			this.waiting = null;
			if (this.everConnected) {
				statistics().reconnected();
			}
			this.everConnected = true;
			this.logged.reset();
			this.backoff.reset();
			up();
		}
		logger.info("RDMA client '{}' is connected to {}", name(), address());
		if (waiting != null) {
			connection.executeHandler(() -> waiting.complete(connection));
		}
	}

	@Override
	void ended(RdmaConnection connection, DestroyTrigger trigger, @Nullable RuntimeException cause) {
		RuntimeException reason = (cause != null) ? cause : this.failures.closed(trigger);
		down(reason);
		logger.atLevel(levelOf(trigger, reason)).log("RDMA client '{}' is down: {}", name(), reason.getMessage());
	}

	// What this side does itself is no reason to warn.
	private synchronized Level levelOf(DestroyTrigger trigger, RuntimeException reason) {
		if (runtime() == null || trigger == DestroyTrigger.MANUAL) {
			return (runtime() != null) ? Level.INFO : Level.DEBUG;
		}
		return this.logged.isNews(reason) ? Level.WARN : Level.DEBUG;
	}

	@Override
	void destroyed(RdmaConnection connection, DestroyReport report) {
		super.destroyed(connection, report);
		synchronized (this) {
			if (this.attempting == connection && state() != EndpointState.QUARANTINED) {
				this.destroyedMeanwhile = report;
			}
			else {
				goOn(connection, report);
			}
		}
	}

	// The connection is gone and the attempt over. Called under the monitor.
	private void goOn(RdmaConnection connection, DestroyReport report) {
		this.current = null;
		if (runtime() == null) {
			failWaiting(connection::executeHandler, this.failures::stopped);
		}
		else if (state() == EndpointState.QUARANTINED) {
			failWaiting(connection::executeHandler, this::stuck);
		}
		else if (this.waiting != null) {
			attemptNow();
		}
		else {
			retryUnlessClosed(report);
		}
	}

	// Whoever closed the connection, or never asked for one, wants none by itself.
	private void retryUnlessClosed(@Nullable DestroyReport last) {
		boolean closed = last != null && last.trigger() == DestroyTrigger.MANUAL;
		if (!closed && (this.everConnected || this.settings.startup() != ClientStartup.LAZY)) {
			retryLater();
		}
	}

	private void retryLater() {
		EndpointRuntime runtime = runtime();
		boolean goingAway = lastError() instanceof ConnectionRejectedException rejected && rejected.isGoingAway();
		Duration pause = goingAway ? this.backoff.nextUncounted() : this.backoff.next();
		if (runtime == null || pause == null) {
			return;
		}
		logger.debug("RDMA client '{}' connects again in {} ms", name(), pause.toMillis());
		this.retry = runtime.attemptLater(this::beginConnecting, pause);
	}

	@Override
	List<DestroyMember> ownMembers() {
		return List.of();
	}

	@Override
	void stopping(EndpointRuntime runtime) {
		cancelRetry();
		failWaiting(runtime.handlerExecutor(), this.failures::stopped);
		if (this.destroyedMeanwhile != null) {
			this.current = null;
		}
		this.attempting = null;
		this.destroyedMeanwhile = null;
		this.backoff.reset();
		this.everConnected = false;
	}

	private void cancelRetry() {
		Future<?> retry = this.retry;
		if (retry != null) {
			retry.cancel(false);
		}
		this.retry = null;
	}

	// On the executor, because the monitor is held and what depends on the future may
	// block.
	private void failWaiting(Executor executor, Supplier<RuntimeException> reason) {
		CompletableFuture<RdmaConnection> waiting = this.waiting;
		this.waiting = null;
		if (waiting != null) {
			RuntimeException error = reason.get();
			executor.execute(() -> waiting.completeExceptionally(error));
		}
	}

	private ConnectionClosedException stuck() {
		return this.failures.stuck(stuckCalls(), lastError());
	}

	@Override
	void recovered() {
		if (runtime() != null && this.current == null) {
			retryUnlessClosed(lastDestroyReport());
		}
	}

	@Override
	@Nullable SharedReceives sharedReceives() {
		return null;
	}

	@Override
	public String toString() {
		return "RDMA client '" + name() + "' to " + address() + " (" + state() + ")";
	}

}
