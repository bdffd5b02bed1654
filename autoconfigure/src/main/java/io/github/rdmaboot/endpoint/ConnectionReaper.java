package io.github.rdmaboot.endpoint;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;

import io.github.rdmaboot.endpoint.destroy.DestroyGroup;
import io.github.rdmaboot.endpoint.destroy.DestroyListener;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.endpoint.destroy.OrderlyDestroy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Destroys connections that ended while their endpoint lives on: never on the thread on
 * which the end was noticed, and those that ended together with one grace period.
 */
final class ConnectionReaper {

	private static final Logger logger = LoggerFactory.getLogger(ConnectionReaper.class);

	private final LinkedBlockingQueue<Ended> ended = new LinkedBlockingQueue<>();

	private final Executor conductors;

	private final OrderlyDestroy destroy;

	private final DestroyListener listeners;

	private final Runnable deviceRemoval;

	// The ends are told here and not by the destroy, see EndsToldLater.
	ConnectionReaper(Executor conductors, OrderlyDestroy destroy, DestroyListener listeners, Runnable deviceRemoval) {
		this.conductors = conductors;
		this.destroy = destroy;
		this.listeners = listeners;
		this.deviceRemoval = deviceRemoval;
	}

	void destroy(RdmaConnection connection, DestroyTrigger trigger) {
		this.ended.add(new Ended(connection, trigger));
		try {
			this.conductors.execute(this::destroyEnded);
		}
		catch (RejectedExecutionException ex) {
			logger.debug("{} is destroyed with its endpoint", connection, ex);
		}
		catch (OutOfMemoryError ex) {
			logger.warn(
					"No thread could be started to destroy {}, which is destroyed with the next one or its endpoint",
					connection, ex);
		}
	}

	private void destroyEnded() {
		List<Ended> batch = new ArrayList<>();
		this.ended.drainTo(batch);
		Map<DestroyTrigger, List<RdmaConnection>> byTrigger = new EnumMap<>(DestroyTrigger.class);
		for (Ended one : batch) {
			if (one.connection().end().claim()) {
				byTrigger.computeIfAbsent(one.trigger(), (trigger) -> new ArrayList<>()).add(one.connection());
			}
		}
		byTrigger.forEach((trigger, connections) -> {
			try {
				destroyTogether(trigger, connections);
			}
			catch (RuntimeException | Error ex) {
				// The others are claimed as well, so nobody else would destroy them.
				logger.error("The destroy of {} was broken off", connections, ex);
			}
		});
	}

	private void destroyTogether(DestroyTrigger trigger, List<RdmaConnection> connections) {
		List<DestroyGroup> groups = connections.stream()
			.map((connection) -> new DestroyGroup(connection.endpoint(), connection.number(),
					List.of(connection.teardown().member())))
			.toList();
		Instant startedAt = Instant.now();
		List<DestroyReport> reports = new ArrayList<>();
		try {
			reports.addAll(this.destroy.run(groups, trigger));
		}
		finally {
			// Whatever was thrown: nobody may wait for ever for a connection to be
			// destroyed.
			for (int i = reports.size(); i < connections.size(); i++) {
				reports.add(EndpointsDestroy.unfinished(connections.get(i).endpoint(), connections.get(i).number(),
						trigger, startedAt, DestroyResult.FAILURE, "the destroy was broken off by an error"));
			}
			for (int i = 0; i < connections.size(); i++) {
				connections.get(i).destroyed(reports.get(i));
			}
			try {
				if (trigger == DestroyTrigger.DEVICE_REMOVAL) {
					this.deviceRemoval.run();
				}
			}
			finally {
				reports.forEach(this.listeners::destroyEnded);
			}
		}
	}

	private record Ended(RdmaConnection connection, DestroyTrigger trigger) {

	}

}
