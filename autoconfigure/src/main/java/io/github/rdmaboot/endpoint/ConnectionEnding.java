package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.verbs.CompletionThread;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a connection comes to its end, and who is told of it.
 */
final class ConnectionEnding {

	private static final Logger logger = LoggerFactory.getLogger(ConnectionEnding.class);

	private final RdmaConnection connection;

	private final ConnectedEndpoint owner;

	private final EndpointRuntime runtime;

	private final ConnectionResources resources;

	private final Runnable closingHook;

	private final SetupGate gate;

	private final ConnectionEnd end = new ConnectionEnd();

	ConnectionEnding(RdmaConnection connection, ConnectedEndpoint owner, EndpointRuntime runtime,
			ConnectionResources resources, SetupGate gate, Runnable closingHook) {
		this.connection = connection;
		this.owner = owner;
		this.runtime = runtime;
		this.resources = resources;
		this.gate = gate;
		this.closingHook = closingHook;
	}

	ConnectionEnd end() {
		return this.end;
	}

	// Have the connection destroyed. Only the first call has an effect.
	void end(DestroyTrigger trigger, @Nullable RuntimeException cause) {
		if (this.end.begin(cause)) {
			CompletionThread.runUnpinned(() -> {
				this.owner.ended(this.connection, trigger, cause);
				this.runtime.destroyLater(this.connection, trigger);
			});
		}
	}

	void handlerFailed(Throwable error) {
		if (error instanceof ConnectionClosedException && !this.connection.isOpen()) {
			// It wanted to answer on a connection that was just closed.
			logger.debug("{}: closed while its message handler ran", this.connection, error);
			return;
		}
		logger.warn("{}: the message handler failed, the connection is closed", this.connection, error);
		end(DestroyTrigger.DISCONNECT, new IllegalStateException("The message handler failed: " + error, error));
	}

	// Keep new native calls away and wait for the one in progress.
	void beginClosing() {
		this.gate.shut();
		this.end.begin(null);
		this.closingHook.run();
		this.gate.awaitCall();
		this.resources.stopPosting();
	}

	// The connection was destroyed. Nothing is thrown, for others may be destroyed
	// together with it, who must be told too.
	void destroyed(DestroyReport report) {
		try {
			tellDestroyed(report);
		}
		catch (RuntimeException | Error ex) {
			logger.error("Not everybody could be told that {} was destroyed", this.connection, ex);
		}
	}

	private void tellDestroyed(DestroyReport report) {
		try {
			this.resources.tellWaiters(this::closedException);
		}
		finally {
			try {
				this.owner.destroyed(this.connection, report);
			}
			finally {
				this.end.done(report, this.runtime.handlerExecutor());
			}
		}
	}

	ConnectionClosedException closedException() {
		RuntimeException cause = this.end.cause();
		return new ConnectionClosedException(
				this.connection + " is closed" + ((cause != null) ? ": " + cause.getMessage() : ""), cause);
	}

}
