package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.github.rdmaboot.endpoint.destroy.DestroyListener;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.endpoint.destroy.StepReport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells all listeners, and the log. A listener that throws is logged and keeps nobody
 * else from being told, least of all the destroy from going on.
 */
final class EndpointListeners implements DestroyListener {

	private static final Logger logger = LoggerFactory.getLogger(EndpointListeners.class);

	private final BiConsumer<String, StepReport> lateReturns;

	private final List<DestroyListener> destroyListeners = new CopyOnWriteArrayList<>();

	private final List<ConnectListener> connectListeners = new CopyOnWriteArrayList<>();

	EndpointListeners(BiConsumer<String, StepReport> lateReturns) {
		this.lateReturns = lateReturns;
	}

	void add(DestroyListener listener) {
		this.destroyListeners.add(listener);
	}

	void add(ConnectListener listener) {
		this.connectListeners.add(listener);
	}

	void connectEnded(String endpoint, Duration took, @Nullable RdmaEndpointException error) {
		tell(this.connectListeners, (listener) -> listener.connectEnded(endpoint, took, error));
	}

	@Override
	public void stopStarted(DestroyTrigger trigger) {
		tell(this.destroyListeners, (listener) -> listener.stopStarted(trigger));
	}

	@Override
	public void stopEnded(DestroyTrigger trigger, Duration took) {
		tell(this.destroyListeners, (listener) -> listener.stopEnded(trigger, took));
	}

	@Override
	public void destroyStarted(String endpoint, long connection, DestroyTrigger trigger) {
		tell(this.destroyListeners, (listener) -> listener.destroyStarted(endpoint, connection, trigger));
	}

	// Return what tells all listeners, but logs no destroy that succeeded.
	DestroyListener quiet() {
		return new DestroyListener() {

			@Override
			public void destroyStarted(String endpoint, long connection, DestroyTrigger trigger) {
				EndpointListeners.this.destroyStarted(endpoint, connection, trigger);
			}

			@Override
			public void destroyEnded(DestroyReport report) {
				if (report.result() != DestroyResult.SUCCESS) {
					EndpointListeners.this.destroyEnded(report);
					return;
				}
				if (logger.isDebugEnabled()) {
					logger.debug("Destroyed RDMA {}: {}", kind(report), report.toLine());
				}
				tell(EndpointListeners.this.destroyListeners, (listener) -> listener.destroyEnded(report));
			}

			@Override
			public void returnedLate(String endpoint, long connection, StepReport step, Duration stuckFor) {
				EndpointListeners.this.returnedLate(endpoint, connection, step, stuckFor);
			}

		};
	}

	@Override
	public void destroyEnded(DestroyReport report) {
		if (report.result() != DestroyResult.SUCCESS) {
			logger.warn("Destroyed RDMA {}: {}", kind(report), report.toLine());
		}
		else if (report.connection() == 0) {
			logger.info("Destroyed RDMA {}: {}", kind(report), report.toLine());
		}
		else if (logger.isDebugEnabled()) {
			logger.debug("Destroyed RDMA {}: {}", kind(report), report.toLine());
		}
		tell(this.destroyListeners, (listener) -> listener.destroyEnded(report));
	}

	@Override
	public void returnedLate(String endpoint, long connection, StepReport step, Duration stuckFor) {
		this.lateReturns.accept(endpoint, step);
		tell(this.destroyListeners, (listener) -> listener.returnedLate(endpoint, connection, step, stuckFor));
	}

	private static String kind(DestroyReport report) {
		return (report.connection() == 0) ? "endpoint" : "connection";
	}

	private static <L> void tell(List<L> listeners, Consumer<L> message) {
		for (L listener : listeners) {
			try {
				message.accept(listener);
			}
			catch (RuntimeException | Error ex) {
				logger.warn("Listener {} failed", listener, ex);
			}
		}
	}

}
