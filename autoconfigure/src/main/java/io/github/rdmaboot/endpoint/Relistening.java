package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;

import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Attempts of a server or datagram endpoint to come up again after the device that has
 * its address was removed; in the hands of every endpoint, though clients make none. The
 * kernel says nothing of a device that comes back, so it tries from time to time. Guarded
 * by the monitor of the endpoint; no native call is made under it.
 */
final class Relistening {

	private static final Logger logger = LoggerFactory.getLogger(Relistening.class);

	/** Settings of endpoints that do not come up again by themselves. */
	static final ReconnectSettings NEVER = new ReconnectSettings(false, Duration.ofMillis(1), Duration.ofMillis(1), 0,
			0);

	private final ManagedEndpoint endpoint;

	private final String what;

	private final Backoff backoff;

	private @Nullable EndpointRuntime runtime;

	private @Nullable Future<?> attempt;

	private boolean wanted;

	private final RepeatedErrno failures = new RepeatedErrno();

	// What the endpoint is goes to the log.
	Relistening(ManagedEndpoint endpoint, String what, ReconnectSettings settings) {
		this.endpoint = endpoint;
		this.what = what;
		this.backoff = new Backoff(settings);
	}

	// The endpoint was started, and not by an attempt of this object.
	void enable() {
		synchronized (this.endpoint) {
			this.wanted = true;
		}
	}

	// The application destroys the endpoint, which then stays destroyed.
	void disable() {
		synchronized (this.endpoint) {
			this.wanted = false;
			cancel();
		}
	}

	void begin(EndpointRuntime runtime) {
		synchronized (this.endpoint) {
			if (this.endpoint.currentStart() == null) {
				this.runtime = runtime;
				schedule(runtime);
			}
		}
	}

	// A destroy that was stuck has ended. Called under the monitor.
	void resume() {
		EndpointRuntime runtime = this.runtime;
		if (runtime != null && this.attempt == null) {
			schedule(runtime);
		}
	}

	// The endpoint was started again or destroyed meanwhile. Called under the monitor.
	void cancel() {
		forget();
		this.runtime = null;
	}

	// Let go of the attempt that is pending, so that there is never more than one.
	private void forget() {
		Future<?> attempt = this.attempt;
		if (attempt != null) {
			attempt.cancel(false);
		}
		this.attempt = null;
	}

	// The endpoint is up.
	void reset() {
		synchronized (this.endpoint) {
			cancel();
			this.backoff.reset();
			this.failures.reset();
		}
	}

	private void schedule(EndpointRuntime runtime) {
		boolean startedAnew = this.endpoint.currentStart() != null;
		if (!this.wanted || startedAnew || runtime.isClosing() || runtime.isQuiesced()) {
			return;
		}
		Duration pause = this.backoff.next();
		if (pause == null || !this.endpoint.beginWaiting()) {
			return;
		}
		logger.debug("{} '{}' tries to come up again in {} ms", this.what, this.endpoint.name(), pause.toMillis());
		forget();
		this.attempt = runtime.attemptLater(() -> hand(runtime), pause);
	}

	// Not on the timer's thread, which serves all endpoints.
	private void hand(EndpointRuntime runtime) {
		try {
			runtime.connectExecutor().execute(() -> attempt(runtime));
		}
		catch (RejectedExecutionException ex) {
			logger.debug("{} '{}' does not come up again while it is stopped", this.what, this.endpoint.name(), ex);
		}
		catch (OutOfMemoryError ex) {
			// No thread could be started. There may be one for a later attempt.
			log(ex);
			synchronized (this.endpoint) {
				if (this.attempt != null) {
					forget();
					schedule(runtime);
				}
			}
		}
	}

	private void attempt(EndpointRuntime runtime) {
		EndpointStart start;
		synchronized (this.endpoint) {
			if (this.attempt == null) {
				return;
			}
			// From here on resume() may schedule the next one. The one that is pending is
			// another if this one was replaced too late to be cancelled.
			forget();
			if (!this.endpoint.isStartable() || runtime.isClosing() || runtime.isQuiesced()) {
				return;
			}
			start = this.endpoint.beginStart(runtime);
			if (start == null) {
				return;
			}
		}
		try {
			start.run();
		}
		catch (RuntimeException | Error ex) {
			log(ex);
			if (start.hasFailed()) {
				this.endpoint.registry()
					.destroyFailed(this.endpoint, start, DestroyTrigger.RELISTEN, () -> tryAgain(runtime));
			}
			else {
				tryAgain(runtime);
			}
		}
	}

	private void tryAgain(EndpointRuntime runtime) {
		synchronized (this.endpoint) {
			schedule(runtime);
		}
	}

	private void log(Throwable ex) {
		boolean news;
		synchronized (this.endpoint) {
			news = this.failures.isNews(ex);
		}
		if (news) {
			logger.warn("{} '{}' cannot come up again yet: {}", this.what, this.endpoint.name(), ex.getMessage());
		}
		else {
			logger.debug("{} '{}' cannot come up again yet: {}", this.what, this.endpoint.name(), ex.getMessage());
		}
	}

}
