package io.github.rdmaboot.endpoint;

import java.util.function.Consumer;
import java.util.function.Function;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.ProcessorList;
import io.github.rdmaboot.provider.RdmaException;

/**
 * One start of an endpoint, in force until the endpoint is destroyed. A destroy and even
 * a further start may come before it has ended: then it makes nothing any more, and what
 * becomes of it is not told of the endpoint. The monitor of the endpoint guards whether
 * it failed.
 */
final class EndpointStart {

	private final ManagedEndpoint endpoint;

	private final EndpointRuntime runtime;

	private final Runnable calls;

	private boolean failed;

	// The function returns what makes all that the endpoint needs to come up.
	EndpointStart(ManagedEndpoint endpoint, EndpointRuntime runtime, Function<EndpointStart, Runnable> bringUp) {
		this.endpoint = endpoint;
		this.runtime = runtime;
		this.calls = bringUp.apply(this);
	}

	EndpointRuntime runtime() {
		return this.runtime;
	}

	// Have native calls made on another thread, with the limits that they are given, and
	// wait for them. An interrupt ends the wait and the start. The C function is that
	// whose answer takes longest.
	void make(String call, Consumer<CallWatch> calls) {
		new WatchedCalls(this.runtime, this.runtime.startExecutor(), this.endpoint.name(), this.endpoint.address())
			.make(call, calls);
	}

	// Check what only the machine can tell of the settings.
	void requireCpu(CompletionSettings settings) {
		if (settings.cpu() != null) {
			make("sched_setaffinity", (watch) -> requireCpu(settings, watch));
		}
	}

	// The same on a thread on which calls are made already.
	void requireCpu(CompletionSettings settings, CallWatch watch) {
		Integer cpu = settings.cpu();
		if (cpu == null) {
			return;
		}
		try {
			watch.during("sched_setaffinity", this.runtime.callTimeout(), () -> this.runtime.devices().requireCpu(cpu));
		}
		catch (RdmaException ex) {
			String problem = (ex.errno() != Errno.EINVAL.value()) ? " and could not be checked: "
					: " but must be a CPU that this process may use, of " + ProcessorList.ofThisProcess() + ": ";
			throw new RdmaEndpointException(this.endpoint.name(), this.endpoint.address(), ex.call(), ex.errno(),
					"completion.cpu is " + cpu + problem + ex.getMessage(), ex);
		}
	}

	// Make the calls, without a lock. A failure is to be followed by a destroy if it
	// hasFailed().
	void run() {
		try {
			this.calls.run();
		}
		catch (RuntimeException ex) {
			failed(ex);
			throw ex;
		}
		catch (Error ex) {
			failed(new IllegalStateException("RDMA endpoint '" + this.endpoint.name() + "' could not be started: " + ex,
					ex));
			throw ex;
		}
	}

	private void failed(RuntimeException error) {
		whileInForce(() -> {
			this.failed = true;
			this.endpoint.down(error);
		});
	}

	// Whether it failed and is still in force, so that what it has made must be
	// destroyed.
	boolean hasFailed() {
		synchronized (this.endpoint) {
			return this.failed && isCurrent();
		}
	}

	private boolean isCurrent() {
		return this.endpoint.currentStart() == this;
	}

	// Whether it may still change the endpoint. One that failed may not, though its calls
	// may go on after an interrupt.
	boolean isInForce() {
		synchronized (this.endpoint) {
			return !this.failed && isCurrent();
		}
	}

	void requireInForce() {
		if (!isInForce()) {
			throw new ConnectionClosedException(
					"RDMA endpoint '" + this.endpoint.name() + "' was stopped while it started", null);
		}
	}

	// Change the state of the endpoint under its monitor, or leave it alone.
	void whileInForce(Runnable change) {
		synchronized (this.endpoint) {
			if (isInForce()) {
				change.run();
			}
		}
	}

}
