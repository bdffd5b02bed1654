package io.github.rdmaboot.endpoint;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.rdmaboot.endpoint.destroy.CallInProgress;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * First step of a start: opens the provider, looks at the devices and opens the runtime
 * on a thread of its own, because a call that does not return cannot be interrupted. What
 * is open when nobody waits any more is closed again. Closes the provider if it fails,
 * before anybody hears of that: the next start may get the same one.
 */
final class RuntimeOpening implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(RuntimeOpening.class);

	/** Provider, devices and event channel. */
	private static final int STEPS = 3;

	private final Supplier<? extends RdmaProvider> providers;

	private final Consumer<RdmaProvider> look;

	private final Function<RdmaProvider, StartedRuntime> opening;

	private final Consumer<StartedRuntime> discarding;

	private final Duration limit;

	private final CompletableFuture<StartedRuntime> outcome = new CompletableFuture<>();

	// What to name if the stack names no C function.
	private volatile String function = "the opening of the provider";

	private volatile @Nullable Thread leftBehind;

	// The limit is that of a call, of which each step has one. What is open when nobody
	// waits any more is discarded.
	RuntimeOpening(Supplier<? extends RdmaProvider> providers, Consumer<RdmaProvider> look,
			Function<RdmaProvider, StartedRuntime> opening, Consumer<StartedRuntime> discarding, Duration callTimeout) {
		this.providers = providers;
		this.look = look;
		this.opening = opening;
		this.discarding = discarding;
		this.limit = callTimeout.multipliedBy(STEPS);
	}

	StartedRuntime open() {
		Thread thread = new Thread(this, "rdma-open");
		thread.setDaemon(true);
		thread.start();
		CompletableFuture<StartedRuntime> inTime = this.outcome.orTimeout(this.limit.toNanos(), TimeUnit.NANOSECONDS);
		try {
			return WatchedCalls.join(inTime);
		}
		catch (RdmaException ex) {
			throw RdmaOpeningException.of(ex);
		}
		catch (UncheckedIOException ex) {
			throw RdmaOpeningException.of(ex);
		}
		catch (CompletionException ex) {
			this.leftBehind = thread;
			String call = CallInProgress.function(thread, this.function);
			throw new RdmaOpeningException(call, Errno.ETIMEDOUT.value(),
					"The RDMA runtime was not open within " + this.limit.toMillis() + " ms: " + call
							+ " did not return (ETIMEDOUT) and is left behind with thread '" + thread.getName() + "'"
							+ place(thread));
		}
	}

	// Loading a library, for instance, is no call of a C function that has a name here.
	private static String place(Thread thread) {
		StackTraceElement[] stack = thread.getStackTrace();
		return (stack.length > 0) ? " in " + stack[0].getClassName() + "." + stack[0].getMethodName() : "";
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
		try {
			open(this.providers.get());
		}
		catch (RuntimeException | Error ex) {
			if (!this.outcome.completeExceptionally(ex)) {
				logger.warn("The opening of the RDMA runtime has returned, and what it made is closed; the start had "
						+ "been given up", ex);
			}
		}
	}

	private void open(RdmaProvider provider) {
		StartedRuntime runtime;
		try {
			this.function = "the look at the devices";
			requireWanted();
			this.look.accept(provider);
			this.function = "the opening of the event channel";
			requireWanted();
			runtime = this.opening.apply(provider);
		}
		catch (RuntimeException | Error ex) {
			this.function = "the closing of the provider";
			close(provider, ex);
			throw ex;
		}
		if (!this.outcome.complete(runtime)) {
			logger.warn("The RDMA runtime was open when the start had been given up; what it made is freed");
			this.discarding.accept(runtime);
		}
	}

	private void requireWanted() {
		if (this.outcome.isDone()) {
			throw new IllegalStateException("The start was given up before the RDMA runtime was open");
		}
	}

	private static void close(RdmaProvider provider, Throwable failure) {
		try {
			provider.close();
		}
		catch (RuntimeException | Error ex) {
			failure.addSuppressed(ex);
		}
	}

}
