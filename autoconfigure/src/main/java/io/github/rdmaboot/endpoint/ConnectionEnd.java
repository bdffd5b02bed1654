package io.github.rdmaboot.endpoint;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import org.jspecify.annotations.Nullable;

/**
 * End of a connection: that it has begun and why, who destroys it, and that it is over.
 * The monitor of this object guards the report and the future of those who ask for it.
 */
final class ConnectionEnd {

	private final AtomicBoolean begun = new AtomicBoolean();

	private final AtomicReference<@Nullable Thread> claimedBy = new AtomicReference<>();

	private final CountDownLatch latch = new CountDownLatch(1);

	private @Nullable DestroyReport report;

	private @Nullable CompletableFuture<DestroyReport> asked;

	private volatile @Nullable RuntimeException cause;

	/**
	 * Begin the end.
	 * @param cause why, if that is an error
	 * @return whether it had not begun before; only then the cause counts
	 */
	boolean begin(@Nullable RuntimeException cause) {
		if (!this.begun.compareAndSet(false, true)) {
			return false;
		}
		this.cause = cause;
		return true;
	}

	boolean isBegun() {
		return this.begun.get();
	}

	@Nullable RuntimeException cause() {
		return this.cause;
	}

	/**
	 * Take the duty to destroy the connection.
	 * @return whether the caller has it now
	 */
	boolean claim() {
		return this.claimedBy.compareAndSet(null, Thread.currentThread());
	}

	// Whether the calling thread destroys the connection, or is waited for by the one
	// that does, and so must not wait for that.
	boolean isClaimedByThisThread() {
		return Teller.isWaitedForBy((thread) -> thread == this.claimedBy.get());
	}

	// It is over. Those who depend on the report learn of it on the executor, which is
	// not troubled for nobody: a context may end a thousand connections.
	void done(DestroyReport report, Executor executor) {
		CompletableFuture<DestroyReport> asked;
		synchronized (this) {
			this.report = report;
			asked = this.asked;
		}
		this.latch.countDown();
		if (asked != null) {
			executor.execute(() -> asked.complete(report));
		}
	}

	CountDownLatch latch() {
		return this.latch;
	}

	synchronized CompletableFuture<DestroyReport> report() {
		if (this.report != null) {
			return CompletableFuture.completedFuture(this.report);
		}
		CompletableFuture<DestroyReport> asked = this.asked;
		if (asked == null) {
			asked = new CompletableFuture<>();
			this.asked = asked;
		}
		return asked.copy();
	}

}
