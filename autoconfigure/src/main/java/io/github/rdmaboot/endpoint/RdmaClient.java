package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

import io.github.rdmaboot.cm.Addresses;
import io.github.rdmaboot.endpoint.destroy.DestroyMember;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
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

	private @Nullable RdmaConnection current;

	private @Nullable CompletableFuture<RdmaConnection> waiting;

	private @Nullable Future<?> retry;

	private boolean everConnected;

	private int loggedErrno;

	RdmaClient(RdmaEndpoints registry, ClientSettings settings) {
		super(registry, settings, "RDMA client", Relistening.NEVER);
		this.settings = settings;
		this.backoff = new Backoff(settings.reconnect());
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
			return join(connect());
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
					return CompletableFuture.failedFuture(stuckException());
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
			case REQUIRED -> join(connect());
			case BACKGROUND -> beginConnecting();
			case LAZY -> start.whileInForce(() -> move(EndpointState.IDLE));
		}
	}

	private RdmaConnection join(CompletableFuture<RdmaConnection> future) {
		try {
			return future.get();
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof RuntimeException cause) {
				throw cause;
			}
			throw new IllegalStateException(ex.getCause());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new RdmaEndpointException(name(), address(), "rdma_connect", Errno.EINTR.value(),
					"the wait for the connection was interrupted (EINTR)", ex);
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
		move(EndpointState.STARTING);
		try {
			runtime.connectExecutor().execute(new ConnectAttempt(this, runtime, connection, sequence));
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
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
			this.loggedErrno = 0;
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
		RuntimeException reason = (cause != null) ? cause : closed(trigger);
		down(reason);
		logger.atLevel(levelOf(trigger, reason)).log("RDMA client '{}' is down: {}", name(), reason.getMessage());
	}

	private RdmaEndpointException closed(DestroyTrigger trigger) {
		return new RdmaEndpointException(name(), address(), "rdma_get_cm_event", Errno.ECONNRESET.value(),
				(trigger == DestroyTrigger.MANUAL) ? "the connection was closed by this side"
						: "the peer closed the connection (RDMA_CM_EVENT_DISCONNECTED)",
				null);
	}

	// What this side does itself is no reason to warn, and many attempts that fail with
	// the same errno are worth one line in the log.
	private synchronized Level levelOf(DestroyTrigger trigger, RuntimeException reason) {
		if (runtime() == null || trigger == DestroyTrigger.MANUAL) {
			return (runtime() != null) ? Level.INFO : Level.DEBUG;
		}
		int errno = (reason instanceof RdmaException error) ? error.errno() : 0;
		boolean news = errno == 0 || errno != this.loggedErrno;
		this.loggedErrno = errno;
		return news ? Level.WARN : Level.DEBUG;
	}

	@Override
	void destroyed(RdmaConnection connection, DestroyReport report) {
		super.destroyed(connection, report);
		synchronized (this) {
			this.current = null;
			if (runtime() == null) {
				failWaiting(connection::executeHandler, this::stoppedException);
				return;
			}
			if (state() == EndpointState.QUARANTINED) {
				failWaiting(connection::executeHandler, this::stuckException);
				return;
			}
			if (this.waiting != null) {
				attemptNow();
			}
			else {
				retryUnlessClosed(report);
			}
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
		failWaiting(runtime.handlerExecutor(), this::stoppedException);
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

	private ConnectionClosedException stoppedException() {
		return new ConnectionClosedException("RDMA client '" + name() + "' was stopped while connecting", null);
	}

	// The CM id serves no further attempt before the call has returned.
	private ConnectionClosedException stuckException() {
		return new ConnectionClosedException("RDMA client '" + name() + "' cannot connect to " + address()
				+ " while calls are stuck: " + stuckCalls(), lastError());
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
