package io.github.rdmaboot.endpoint;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.endpoint.destroy.DestroyGroup;
import io.github.rdmaboot.endpoint.destroy.DestroyLimits;
import io.github.rdmaboot.endpoint.destroy.DestroyListener;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.endpoint.destroy.OrderlyDestroy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Destroys endpoints together with their connections, and waits for those connections and
 * endpoints that somebody else is destroying already.
 */
final class EndpointsDestroy {

	private static final Logger logger = LoggerFactory.getLogger(EndpointsDestroy.class);

	private final DestroyLimits limits;

	private final DestroyListener listener;

	EndpointsDestroy(DestroyLimits limits, DestroyListener listener) {
		this.limits = limits;
		this.listener = listener;
	}

	List<DestroyReport> run(List<ManagedEndpoint> endpoints, DestroyTrigger trigger) {
		Deadline total = Deadline.after(this.limits.total());
		Map<ManagedEndpoint, CompletableFuture<DestroyReport>> reports = new LinkedHashMap<>();
		Map<ManagedEndpoint, List<RdmaConnection>> claimed = new LinkedHashMap<>();
		List<DestroyGroup> groups = new ArrayList<>();
		for (ManagedEndpoint endpoint : endpoints) {
			List<RdmaConnection> mine = new ArrayList<>();
			DestroyGroup group = endpoint.beginDestroy(mine);
			CompletableFuture<DestroyReport> future = endpoint.destroying();
			reports.put(endpoint, future);
			if (group != null) {
				groups.add(group);
				claimed.put(endpoint, mine);
			}
		}
		List<DestroyReport> done = new OrderlyDestroy(this.limits, this.listener).run(groups, trigger);
		int index = 0;
		for (Map.Entry<ManagedEndpoint, List<RdmaConnection>> entry : claimed.entrySet()) {
			DestroyReport report = done.get(index++);
			entry.getValue().forEach((connection) -> connection.destroyed(report));
			entry.getKey().allConnections().forEach((other) -> await(other.destroyedFuture(), total));
			entry.getKey().endDestroy(report);
		}
		return reports.values().stream().map(CompletableFuture::join).toList();
	}

	private static void await(CompletableFuture<DestroyReport> future, Deadline total) {
		try {
			future.get(Math.max(1, total.remainingNanos()), TimeUnit.NANOSECONDS);
		}
		catch (TimeoutException ex) {
			logger.warn("A connection that was being destroyed before is still being destroyed");
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException ex) {
			logger.warn("A connection could not be destroyed", ex);
		}
	}

}
