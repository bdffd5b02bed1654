package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.RdmaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Attempts of a server to listen again after the device that has its address was removed.
 * The kernel says nothing of a device that comes back, so the server tries from time to
 * time. Guarded by the monitor of the server; no native call is made under it.
 */
final class Relistening {

	private static final Logger logger = LoggerFactory.getLogger(Relistening.class);

	private final RdmaServer server;

	private final Backoff backoff;

	private @Nullable EndpointRuntime runtime;

	private @Nullable ScheduledFuture<?> attempt;

	private boolean wanted;

	private int loggedErrno;

	private volatile boolean attempting;

	Relistening(RdmaServer server, ReconnectSettings settings) {
		this.server = server;
		this.backoff = new Backoff(settings);
	}

	// The server was started, and not by an attempt of this object.
	void enable() {
		synchronized (this.server) {
			this.wanted = true;
		}
	}

	// The application destroys the server, which then stays destroyed.
	void disable() {
		synchronized (this.server) {
			this.wanted = false;
			cancel();
		}
	}

	void begin(EndpointRuntime runtime) {
		synchronized (this.server) {
			this.runtime = runtime;
			schedule(runtime);
		}
	}

	// A destroy that was stuck has ended. Called under the monitor.
	void resume() {
		EndpointRuntime runtime = this.runtime;
		if (runtime != null && this.attempt == null) {
			schedule(runtime);
		}
	}

	// The server was started again or destroyed meanwhile. Called under the monitor.
	void cancel() {
		ScheduledFuture<?> attempt = this.attempt;
		if (attempt != null) {
			attempt.cancel(false);
		}
		this.attempt = null;
		this.runtime = null;
	}

	// The server listens.
	void reset() {
		synchronized (this.server) {
			cancel();
			this.backoff.reset();
			this.loggedErrno = 0;
		}
	}

	private void schedule(EndpointRuntime runtime) {
		if (!this.wanted || runtime.isClosing() || runtime.isQuiesced()) {
			return;
		}
		Duration pause = this.backoff.next();
		if (pause == null || !this.server.beginWaiting()) {
			return;
		}
		logger.debug("RDMA server '{}' tries to listen again in {} ms", this.server.name(), pause.toMillis());
		this.attempt = runtime.scheduler().schedule(() -> hand(runtime), pause.toMillis(), TimeUnit.MILLISECONDS);
	}

	// Not on the timer's thread, which serves all endpoints.
	private void hand(EndpointRuntime runtime) {
		try {
			runtime.connectExecutor().execute(() -> attempt(runtime));
		}
		catch (RejectedExecutionException ex) {
			logger.debug("RDMA server '{}' does not listen again while it is stopped", this.server.name(), ex);
		}
	}

	private void attempt(EndpointRuntime runtime) {
		Runnable calls;
		synchronized (this.server) {
			if (this.attempt == null || runtime.isClosing() || runtime.isQuiesced()) {
				return;
			}
			calls = this.server.beginStart(runtime);
			if (calls == null) {
				return;
			}
			this.attempt = null;
			this.attempting = true;
		}
		try {
			this.server.finishStart(calls);
		}
		catch (RuntimeException ex) {
			log(ex);
			this.server.registry().destroyAttempt(this.server);
			synchronized (this.server) {
				schedule(runtime);
			}
		}
		finally {
			this.attempting = false;
		}
	}

	boolean isAttempting() {
		return this.attempting;
	}

	// Many attempts that fail with the same errno are worth one line in the log.
	private void log(RuntimeException ex) {
		int errno = (ex instanceof RdmaException error) ? error.errno() : 0;
		boolean news;
		synchronized (this.server) {
			news = errno == 0 || errno != this.loggedErrno;
			this.loggedErrno = errno;
		}
		if (news) {
			logger.warn("RDMA server '{}' cannot listen again yet: {}", this.server.name(), ex.getMessage());
		}
		else {
			logger.debug("RDMA server '{}' cannot listen again yet: {}", this.server.name(), ex.getMessage());
		}
	}

}
