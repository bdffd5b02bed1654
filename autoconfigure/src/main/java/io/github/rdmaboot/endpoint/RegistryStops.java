package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

import io.github.rdmaboot.endpoint.RuntimeSlot.Stop;
import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.endpoint.destroy.DestroyLimits;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops of a registry: the whole-process plan, within one limit, and what remains of it
 * when a call is stuck. May be used from any thread.
 */
final class RegistryStops {

	private static final Logger logger = LoggerFactory.getLogger(RegistryStops.class);

	/** Part of the limit for which listeners of other destroys may hold up the end. */
	private static final int OTHERS = 10;

	private final DestroyLimits limits;

	private final EndpointListeners listeners;

	private final Set<ChannelClose> stuckCloses = ConcurrentHashMap.newKeySet();

	RegistryStops(DestroyLimits limits, EndpointListeners listeners) {
		this.limits = limits;
		this.listeners = listeners;
	}

	// The other stop is bounded by itself; this bounds the wait of a thread that the
	// other stop waits for.
	List<DestroyReport> join(Stop stop) {
		if (Teller.isWaitedForBy((thread) -> thread == stop.thread())) {
			logger.debug("A stop of the RDMA endpoints was asked for from inside a stop");
			return List.of();
		}
		CountDownLatch ended = new CountDownLatch(1);
		CompletableFuture<?> end = stop.reports().whenComplete((reports, error) -> ended.countDown());
		if (!Deadline.after(this.limits.total()).await(ended) || end.isCompletedExceptionally()) {
			logger.warn("Another stop of the RDMA endpoints is still under way after {}", this.limits.total());
			return List.of();
		}
		return stop.reports().join();
	}

	// Destroy the endpoints and then what they share.
	List<DestroyReport> run(StartedRuntime runtime, List<ManagedEndpoint> endpoints, DestroyTrigger trigger) {
		Deadline total = Deadline.after(this.limits.total());
		try (DestroyTelling telling = this.listeners.begin(this.limits.total())) {
			return run(runtime, endpoints, trigger, telling, total);
		}
		finally {
			// Listeners, meters for instance, may end with the stop, and are to know of
			// the destroys that it has waited for. A listener may wait for this stop.
			this.listeners.awaitOthers(Deadline.after(this.limits.total().dividedBy(OTHERS)).orEarlier(total));
		}
	}

	private List<DestroyReport> run(StartedRuntime runtime, List<ManagedEndpoint> endpoints, DestroyTrigger trigger,
			DestroyTelling telling, Deadline total) {
		long begin = System.nanoTime();
		telling.stopStarted(trigger);
		runtime.stopNewWork();
		List<DestroyReport> reports;
		String rest = "left";
		try {
			reports = new EndpointsDestroy(this.limits.within(total), telling).run(endpoints, trigger);
		}
		finally {
			rest = close(runtime, trigger, total, begin, telling);
		}
		Map<DestroyResult, Integer> results = new EnumMap<>(DestroyResult.class);
		reports.forEach((report) -> results.merge(report.result(), 1, Integer::sum));
		logger.info("Destroyed {} RDMA {}: trigger={} took={}ms success={} failure={} timeout={} channel={}",
				reports.size(), (reports.size() == 1) ? "endpoint" : "endpoints", trigger.tag(),
				Duration.ofNanos(System.nanoTime() - begin).toMillis(), results.getOrDefault(DestroyResult.SUCCESS, 0),
				results.getOrDefault(DestroyResult.FAILURE, 0), results.getOrDefault(DestroyResult.TIMEOUT, 0), rest);
		return reports;
	}

	// Close a runtime that no stop finds, because the start that opened it was given up.
	void discard(StartedRuntime runtime) {
		long begin = System.nanoTime();
		Deadline total = Deadline.after(this.limits.total());
		try (DestroyTelling telling = this.listeners.begin(this.limits.total())) {
			telling.stopStarted(DestroyTrigger.FAILED_START);
			close(runtime, DestroyTrigger.FAILED_START, total, begin, telling);
		}
	}

	private String close(StartedRuntime runtime, DestroyTrigger trigger, Deadline total, long begin,
			DestroyTelling telling) {
		ChannelClose close = runtime.close(total);
		if (close.isStuck()) {
			this.stuckCloses.add(close);
		}
		close.whenReturned(() -> {
			this.stuckCloses.remove(close);
			telling.stopEnded(trigger, Duration.ofNanos(System.nanoTime() - begin));
		});
		return close.outcome();
	}

	List<StuckCall> stuckCalls() {
		return this.stuckCloses.stream().map(ChannelClose::asStuckCall).toList();
	}

}
