package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.endpoint.destroy.DestroyListener;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.endpoint.destroy.StepReport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the log and the listeners are told of one destroy, or one stop. To close it is to
 * wait until the listeners have been told.
 */
final class DestroyTelling implements DestroyListener, AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(EndpointListeners.class);

	private final Teller teller;

	private final BiConsumer<String, StepReport> lateReturns;

	private final boolean quiet;

	private final Consumer<DestroyTelling> whenClosed;

	private final Thread conductor = Thread.currentThread();

	private final CountDownLatch closed = new CountDownLatch(1);

	// One that is quiet logs no destroy that succeeded.
	DestroyTelling(Teller teller, BiConsumer<String, StepReport> lateReturns, boolean quiet,
			Consumer<DestroyTelling> whenClosed) {
		this.teller = teller;
		this.lateReturns = lateReturns;
		this.quiet = quiet;
		this.whenClosed = whenClosed;
	}

	@Override
	public void stopStarted(DestroyTrigger trigger) {
		this.teller.tellFirst((listener) -> listener.stopStarted(trigger));
	}

	@Override
	public void stopEnded(DestroyTrigger trigger, Duration took) {
		this.teller.tell((listener) -> listener.stopEnded(trigger, took));
	}

	@Override
	public void destroyStarted(String endpoint, long connection, DestroyTrigger trigger) {
		this.teller.tell((listener) -> listener.destroyStarted(endpoint, connection, trigger));
	}

	// Wait until the listeners know of all that were started, before anything is freed.
	// There is one wait for all, for each is a hand-over between threads.
	void awaitStarted() {
		this.teller.awaitFirst();
	}

	@Override
	public void destroyEnded(DestroyReport report) {
		String kind = (report.connection() == 0) ? "endpoint" : "connection";
		if (report.result() != DestroyResult.SUCCESS) {
			logger.warn("Destroyed RDMA {}: {}", kind, report.toLine());
		}
		else if (report.connection() == 0 && !this.quiet) {
			logger.info("Destroyed RDMA {}: {}", kind, report.toLine());
		}
		else if (logger.isDebugEnabled()) {
			logger.debug("Destroyed RDMA {}: {}", kind, report.toLine());
		}
		this.teller.tell((listener) -> listener.destroyEnded(report));
	}

	@Override
	public void returnedLate(String endpoint, long connection, StepReport step, Duration stuckFor) {
		this.lateReturns.accept(endpoint, step);
		this.teller.tell((listener) -> listener.returnedLate(endpoint, connection, step, stuckFor));
	}

	@Override
	public void lateStepEnded(String endpoint, long connection, StepReport step) {
		this.teller.tell((listener) -> listener.lateStepEnded(endpoint, connection, step));
	}

	// All was told, and the conductor is about to do what may never end. Nobody else is
	// to wait for more than that the listeners know of it.
	void toldAll() {
		this.teller.whenTold(this::closed);
	}

	// Wait until it is closed, unless that waits for the calling thread.
	boolean awaitClosed(Deadline deadline) {
		return Teller.isWaitedForBy((thread) -> thread == this.conductor) || deadline.await(this.closed);
	}

	@Override
	public void close() {
		try {
			this.teller.close();
		}
		finally {
			closed();
		}
	}

	private void closed() {
		this.closed.countDown();
		this.whenClosed.accept(this);
	}

}
