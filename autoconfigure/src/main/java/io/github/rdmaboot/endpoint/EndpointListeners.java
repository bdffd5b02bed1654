package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;

import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.endpoint.destroy.DestroyListener;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.endpoint.destroy.StepReport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All listeners. One that throws is logged and keeps nobody else from being told, least
 * of all a destroy from going on.
 */
final class EndpointListeners {

	private static final Logger logger = LoggerFactory.getLogger(EndpointListeners.class);

	private final BiConsumer<String, StepReport> lateReturns;

	private final Set<DestroyTelling> open = ConcurrentHashMap.newKeySet();

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
		for (ConnectListener listener : this.connectListeners) {
			try {
				listener.connectEnded(endpoint, took, error);
			}
			catch (RuntimeException | Error ex) {
				logger.warn("Listener {} failed", listener, ex);
			}
		}
	}

	/**
	 * Begin to tell of a destroy that the calling thread conducts.
	 * @param total the limit of the destroy
	 * @return what to tell, and to close at the end
	 */
	DestroyTelling begin(Duration total) {
		return begin(total, false);
	}

	/**
	 * Begin to tell of a destroy. That of one of many attempts to come up again is not
	 * logged if it succeeds.
	 * @param total the limit of the destroy
	 * @param trigger why
	 * @return what to tell, and to close at the end
	 */
	DestroyTelling begin(Duration total, DestroyTrigger trigger) {
		return begin(total, trigger == DestroyTrigger.RELISTEN);
	}

	private DestroyTelling begin(Duration total, boolean quiet) {
		DestroyTelling telling = new DestroyTelling(new Teller(this.destroyListeners, total), this.lateReturns, quiet,
				this.open::remove);
		this.open.add(telling);
		return telling;
	}

	/**
	 * Wait until the listeners know of all destroys that other threads conduct, but for
	 * those that wait for the calling thread.
	 * @param deadline how long to wait at most
	 */
	void awaitOthers(Deadline deadline) {
		for (DestroyTelling telling : this.open) {
			if (!telling.awaitClosed(deadline)) {
				logger.debug("Listeners are still being told of a destroy");
			}
		}
	}

}
