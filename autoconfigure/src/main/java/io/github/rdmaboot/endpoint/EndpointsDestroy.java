package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;

import io.github.rdmaboot.endpoint.ManagedEndpoint.Begun;
import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.endpoint.destroy.DestroyGroup;
import io.github.rdmaboot.endpoint.destroy.DestroyLimits;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyStepName;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.endpoint.destroy.OrderlyDestroy;
import io.github.rdmaboot.endpoint.destroy.StepClock;
import io.github.rdmaboot.endpoint.destroy.StepOutcome;
import io.github.rdmaboot.endpoint.destroy.StepReport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Destroys endpoints together with their connections, and waits for those connections and
 * endpoints that somebody else is destroying already.
 */
final class EndpointsDestroy {

	private static final Logger logger = LoggerFactory.getLogger(EndpointsDestroy.class);

	private final DestroyLimits limits;

	private final DestroyTelling listener;

	EndpointsDestroy(DestroyLimits limits, DestroyTelling listener) {
		this.limits = limits;
		this.listener = listener;
	}

	List<DestroyReport> run(List<ManagedEndpoint> endpoints, DestroyTrigger trigger) {
		return run(endpoints, ManagedEndpoint::beginDestroy, trigger);
	}

	// Destroy what a start made, unless that was destroyed and the endpoint started anew.
	void run(ManagedEndpoint endpoint, @Nullable EndpointStart doomed, DestroyTrigger trigger) {
		run(List.of(endpoint), (one) -> one.beginDestroy(doomed), trigger);
	}

	private List<DestroyReport> run(List<ManagedEndpoint> endpoints, Function<ManagedEndpoint, Begun> beginning,
			DestroyTrigger trigger) {
		Deadline total = Deadline.after(this.limits.total());
		StepClock clock = StepClock.start();
		Map<ManagedEndpoint, Begun> begun = new LinkedHashMap<>();
		endpoints.forEach((endpoint) -> begun.put(endpoint, beginning.apply(endpoint)));
		Map<ManagedEndpoint, DestroyReport> reports = conduct(begun, trigger, total, clock);
		List<DestroyReport> all = new ArrayList<>();
		begun.forEach((endpoint, destroy) -> {
			DestroyReport mine = reports.get(endpoint);
			if (mine != null) {
				this.listener.destroyEnded(mine);
				all.add(mine);
			}
			else {
				all.add(conductedElsewhere(endpoint, destroy, trigger, clock, total));
			}
		});
		return all;
	}

	private Map<ManagedEndpoint, DestroyReport> conduct(Map<ManagedEndpoint, Begun> begun, DestroyTrigger trigger,
			Deadline total, StepClock clock) {
		Map<ManagedEndpoint, DestroyGroup> groups = new LinkedHashMap<>();
		begun.forEach((endpoint, destroy) -> {
			if (destroy.group() != null) {
				groups.put(endpoint, destroy.group());
			}
		});
		List<DestroyReport> done = List.of();
		Map<ManagedEndpoint, DestroyReport> reports = new LinkedHashMap<>();
		try {
			done = new OrderlyDestroy(this.limits, new EndsToldLater(this.listener)).run(List.copyOf(groups.values()),
					trigger, this.listener::awaitStarted);
		}
		finally {
			int index = 0;
			for (Map.Entry<ManagedEndpoint, DestroyGroup> entry : groups.entrySet()) {
				ManagedEndpoint endpoint = entry.getKey();
				DestroyReport report = (index < done.size()) ? done.get(index++)
						: unfinished(endpoint, trigger, clock, "the destroy was broken off by an error");
				reports.put(endpoint, report);
				end(endpoint, begun.get(endpoint), report, total);
			}
		}
		return reports;
	}

	private static void end(ManagedEndpoint endpoint, @Nullable Begun destroy, DestroyReport report, Deadline total) {
		if (destroy == null) {
			return;
		}
		try {
			destroy.claimed().forEach((connection) -> connection.destroyed(report));
			endpoint.allConnections().forEach((other) -> {
				if (!other.end().isClaimedByThisThread() && !total.await(other.end().latch())) {
					logger.warn("{} was being destroyed before and is still being destroyed", other);
				}
			});
		}
		finally {
			endpoint.endDestroy(report);
		}
	}

	private static DestroyReport conductedElsewhere(ManagedEndpoint endpoint, Begun destroy, DestroyTrigger trigger,
			StepClock clock, Deadline total) {
		if (destroy.inside()) {
			return unfinished(endpoint.name(), 0, trigger, clock, DestroyResult.FAILURE,
					"asked for from inside this very destroy, which goes on when the caller returns");
		}
		if (!endpoint.stuckCalls().isEmpty() && destroy.done() == null) {
			return unfinished(endpoint.name(), 0, trigger, clock, DestroyResult.FAILURE,
					"calls of an earlier destroy are still stuck: " + endpoint.stuckCalls());
		}
		CompletableFuture<DestroyReport> done = destroy.done();
		if (done == null) {
			return new DestroyReport(endpoint.name(), 0, trigger, clock.startedAt(), Duration.ZERO,
					DestroyResult.SUCCESS, 0, List.of());
		}
		CountDownLatch ended = new CountDownLatch(1);
		CompletableFuture<?> end = done.whenComplete((report, error) -> ended.countDown());
		if (!total.await(ended) || end.isCompletedExceptionally()) {
			return unfinished(endpoint, trigger, clock, "another thread is still destroying it");
		}
		return done.join();
	}

	private static DestroyReport unfinished(ManagedEndpoint endpoint, DestroyTrigger trigger, StepClock clock,
			String detail) {
		return unfinished(endpoint.name(), 0, trigger, clock, DestroyResult.TIMEOUT, detail);
	}

	static DestroyReport unfinished(String endpoint, long connection, DestroyTrigger trigger, StepClock clock,
			DestroyResult result, String detail) {
		StepReport step = new StepReport(DestroyStepName.QUIESCE, endpoint, clock.startedAt(), Duration.ZERO,
				StepOutcome.ABANDONED, "", 0, detail);
		return new DestroyReport(endpoint, connection, trigger, clock.startedAt(), clock.elapsed(), result, 0,
				List.of(step));
	}

}
