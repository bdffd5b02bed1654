package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * First step of a start: opens the runtime on a thread of its own, because a call that
 * does not return cannot be interrupted. One that is open when nobody waits any more is
 * closed again. Closes the provider if it fails.
 */
final class RuntimeOpening implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(RuntimeOpening.class);

	private static final String CALL = "rdma_create_event_channel";

	/** What opening may take at least, however short the limit of a stop is. */
	private static final Duration MIN_LIMIT = Duration.ofSeconds(1);

	private final RdmaProvider provider;

	private final Function<RdmaProvider, StartedRuntime> opening;

	private final Duration limit;

	private final CompletableFuture<StartedRuntime> outcome = new CompletableFuture<>();

	RuntimeOpening(RdmaProvider provider, Function<RdmaProvider, StartedRuntime> opening, Duration limit) {
		this.provider = provider;
		this.opening = opening;
		this.limit = (limit.compareTo(MIN_LIMIT) < 0) ? MIN_LIMIT : limit;
	}

	StartedRuntime open() {
		boolean begun = false;
		try {
			Thread thread = new Thread(this, "rdma-open");
			thread.setDaemon(true);
			thread.start();
			begun = true;
		}
		finally {
			if (!begun) {
				this.provider.close();
			}
		}
		CompletableFuture<StartedRuntime> inTime = this.outcome.orTimeout(this.limit.toNanos(), TimeUnit.NANOSECONDS);
		try {
			return WatchedCalls.join(inTime);
		}
		catch (CompletionException ex) {
			throw new RdmaException(CALL, Errno.ETIMEDOUT.value(), CALL + " did not return within "
					+ this.limit.toMillis() + " ms (ETIMEDOUT) and is left behind with its thread");
		}
	}

	@Override
	public void run() {
		boolean open = false;
		try {
			StartedRuntime runtime = this.opening.apply(this.provider);
			open = true;
			if (!this.outcome.complete(runtime)) {
				logger.warn("{} returned when the start had been given up; what it made is freed", CALL);
				runtime.close(Deadline.after(this.limit));
			}
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Opening the RDMA runtime failed", ex);
			this.outcome.completeExceptionally(ex);
		}
		finally {
			if (!open) {
				this.provider.close();
			}
		}
	}

}
