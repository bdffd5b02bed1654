package io.github.rdmaboot.endpoint;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.rdmaboot.endpoint.destroy.DestroyGroup;
import io.github.rdmaboot.endpoint.destroy.DestroyListener;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.endpoint.destroy.OrderlyDestroy;
import io.github.rdmaboot.endpoint.destroy.StepClock;
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

	private final Function<DestroyListener, OrderlyDestroy> destroys;

	private final Supplier<DestroyTelling> tellings;

	private final Runnable deviceRemoval;

	// The ends are told here and not by the destroy, see EndsToldLater.
	ConnectionReaper(Executor conductors, Function<DestroyListener, OrderlyDestroy> destroys,
			Supplier<DestroyTelling> tellings, Runnable deviceRemoval) {
		this.conductors = conductors;
		this.destroys = destroys;
		this.tellings = tellings;
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
		// Listeners have their time for the begin of each, and the end waits for them, so
		// it comes when all have been destroyed.
		List<DestroyTelling> tellings = new ArrayList<>(byTrigger.size());
		try {
			byTrigger.forEach((trigger, connections) -> destroyOrLog(trigger, connections, tellings));
			// Last, for a call that does not return would keep all others.
			if (byTrigger.containsKey(DestroyTrigger.DEVICE_REMOVAL)) {
				tellings.forEach(DestroyTelling::toldAll);
				this.deviceRemoval.run();
			}
		}
		finally {
			tellings.forEach(DestroyTelling::close);
		}
	}

	private void destroyOrLog(DestroyTrigger trigger, List<RdmaConnection> connections, List<DestroyTelling> tellings) {
		try {
			destroyTogether(trigger, connections, tellings);
		}
		catch (RuntimeException | Error ex) {
			// The others are claimed as well, so nobody else would destroy them.
			logger.error("The destroy of {} was broken off", connections, ex);
		}
	}

	private void destroyTogether(DestroyTrigger trigger, List<RdmaConnection> connections,
			List<DestroyTelling> tellings) {
		List<DestroyGroup> groups = connections.stream()
			.map((connection) -> new DestroyGroup(connection.endpoint(), connection.number(),
					List.of(connection.teardown().member())))
			.toList();
		StepClock clock = StepClock.start();
		List<DestroyReport> reports = new ArrayList<>();
		DestroyTelling telling = null;
		try {
			telling = this.tellings.get();
			tellings.add(telling);
			reports.addAll(this.destroys.apply(new EndsToldLater(telling)).run(groups, trigger, telling::awaitStarted));
		}
		finally {
			// Whatever was thrown: nobody may wait for ever for a connection to be
			// destroyed.
			for (int i = reports.size(); i < connections.size(); i++) {
				reports.add(EndpointsDestroy.unfinished(connections.get(i).endpoint(), connections.get(i).number(),
						trigger, clock, DestroyResult.FAILURE, "the destroy was broken off by an error"));
			}
			for (int i = 0; i < connections.size(); i++) {
				connections.get(i).destroyed(reports.get(i));
			}
			if (telling != null) {
				reports.forEach(telling::destroyEnded);
			}
		}
	}

	private record Ended(RdmaConnection connection, DestroyTrigger trigger) {

	}

}
