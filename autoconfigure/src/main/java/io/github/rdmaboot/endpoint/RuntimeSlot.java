package io.github.rdmaboot.endpoint;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import org.jspecify.annotations.Nullable;

/**
 * The runtime of a registry, which exists from a start to the next stop, and who is
 * starting or stopping. The monitor of this object guards all of it; nothing native is
 * called under it, so that a stop need not wait for a start that does not return.
 */
final class RuntimeSlot {

	private @Nullable StartedRuntime runtime;

	private @Nullable Stop stopping;

	private boolean starting;

	private boolean startCancelled;

	private boolean closed;

	/**
	 * Begin a start.
	 * @return whether the caller has to open a runtime, because there is none
	 * @throws IllegalStateException if the registry is closed or being stopped
	 */
	synchronized boolean beginStart() {
		if (this.closed) {
			throw new IllegalStateException("The registry of RDMA endpoints is closed");
		}
		if (this.stopping != null || (this.starting && this.startCancelled)) {
			throw new IllegalStateException("The registry of RDMA endpoints is being stopped and cannot be started");
		}
		if (this.runtime != null || this.starting) {
			return false;
		}
		this.starting = true;
		this.startCancelled = false;
		return true;
	}

	/**
	 * Take the runtime of the start that was begun.
	 * @param runtime the runtime
	 * @return whether it was taken, and no stop came in between
	 */
	synchronized boolean take(StartedRuntime runtime) {
		if (!this.startCancelled) {
			this.runtime = runtime;
		}
		return !this.startCancelled;
	}

	synchronized void endStart() {
		this.starting = false;
	}

	/**
	 * Begin a stop, or join the one under way.
	 * @return the stop, or {@code null} if nothing is started; a start under way is
	 * cancelled then
	 */
	synchronized @Nullable Stop beginStop() {
		Stop stopping = this.stopping;
		if (stopping != null) {
			return new Stop(null, stopping.thread(), stopping.reports());
		}
		StartedRuntime runtime = this.runtime;
		if (runtime == null) {
			this.startCancelled = true;
			return null;
		}
		this.stopping = new Stop(runtime, Thread.currentThread(), new CompletableFuture<>());
		return this.stopping;
	}

	synchronized void endStop() {
		this.runtime = null;
		this.stopping = null;
	}

	synchronized void close() {
		this.closed = true;
	}

	synchronized @Nullable StartedRuntime runtime() {
		return this.runtime;
	}

	synchronized boolean isStopping() {
		return this.stopping != null;
	}

	/**
	 * Stop of the registry.
	 *
	 * @param runtime what the caller has to stop, or {@code null} if another thread does
	 * @param thread the thread that stops it
	 * @param reports completes with the reports
	 */
	record Stop(@Nullable StartedRuntime runtime, Thread thread, CompletableFuture<List<DestroyReport>> reports) {

	}

}
