package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

import io.github.rdmaboot.endpoint.destroy.CallInProgress;
import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.provider.DeviceDescription;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * First step of a start: looks at the devices and opens the runtime on a thread of its
 * own, because a call that does not return cannot be interrupted. One that is open when
 * nobody waits any more is closed again. Closes the provider if it fails, before anybody
 * hears of that: the next start may get the same one.
 */
final class RuntimeOpening implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(RuntimeOpening.class);

	/** What opening may take at least, however short the limit of a stop is. */
	private static final Duration MIN_LIMIT = Duration.ofSeconds(1);

	private final RdmaProvider provider;

	private final Consumer<List<DeviceDescription>> devices;

	private final Function<RdmaProvider, StartedRuntime> opening;

	private final Duration limit;

	private final CompletableFuture<StartedRuntime> outcome = new CompletableFuture<>();

	// The C function to name if the stack names none: devices are read from sysfs.
	private volatile String function = "read";

	private volatile @Nullable Thread leftBehind;

	// The limit is that of all calls together.
	RuntimeOpening(RdmaProvider provider, Consumer<List<DeviceDescription>> devices,
			Function<RdmaProvider, StartedRuntime> opening, Duration limit) {
		this.provider = provider;
		this.devices = devices;
		this.opening = opening;
		this.limit = (limit.compareTo(MIN_LIMIT) < 0) ? MIN_LIMIT : limit;
	}

	StartedRuntime open() {
		Thread thread = new Thread(this, "rdma-open");
		thread.setDaemon(true);
		boolean begun = false;
		try {
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
			this.leftBehind = thread;
			String call = CallInProgress.function(thread, this.function);
			throw new RdmaException(call, Errno.ETIMEDOUT.value(),
					"The RDMA runtime was not open within " + this.limit.toMillis() + " ms: " + call
							+ " did not return (ETIMEDOUT) and is left behind with thread '" + thread.getName() + "'");
		}
	}

	// Check that no thread was left behind that may still close the provider.
	void requireEnded() {
		Thread thread = this.leftBehind;
		if (thread != null && thread.isAlive()) {
			throw new IllegalStateException("The registry of RDMA endpoints cannot be started while "
					+ CallInProgress.function(thread, this.function) + " of its last start is stuck on thread '"
					+ thread.getName() + "'");
		}
	}

	@Override
	public void run() {
		StartedRuntime runtime;
		try {
			this.devices.accept(this.provider.describeDevices());
			this.function = "rdma_create_event_channel";
			runtime = this.opening.apply(this.provider);
		}
		catch (RuntimeException | Error ex) {
			logger.debug("Opening the RDMA runtime failed", ex);
			this.function = "close";
			closeProvider(ex);
			this.outcome.completeExceptionally(ex);
			return;
		}
		if (!this.outcome.complete(runtime)) {
			logger.warn("The RDMA runtime was open when the start had been given up; what it made is freed");
			runtime.close(Deadline.after(this.limit));
		}
	}

	private void closeProvider(Throwable failure) {
		try {
			this.provider.close();
		}
		catch (RuntimeException | Error ex) {
			failure.addSuppressed(ex);
		}
	}

}
