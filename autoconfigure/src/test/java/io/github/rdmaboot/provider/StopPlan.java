package io.github.rdmaboot.provider;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.jspecify.annotations.Nullable;

/**
 * Plan of a stop of all endpoints of a registry: the listeners go first, then groups are
 * left, all connections are disconnected before the first queue pair goes, all queue
 * pairs go before what they used, and the other ids go last. Known to the thread that
 * conducts the stop and to the threads that it makes to carry it out; others may end a
 * connection of their own meanwhile.
 * <p>
 * What a call that is given up keeps from being done in time is done whenever it returns,
 * so nothing is expected of a stop with such a call.
 */
public final class StopPlan {

	private static final InheritableThreadLocal<@Nullable StopPlan> current = new InheritableThreadLocal<>();

	private final List<String> violations = new CopyOnWriteArrayList<>();

	private Phase phase = Phase.LISTENERS;

	private boolean over;

	private boolean gaveUp;

	private StopPlan() {
	}

	/**
	 * Begin a stop, on the thread that conducts it.
	 * @return the plan
	 */
	public static StopPlan begin() {
		StopPlan plan = new StopPlan();
		current.set(plan);
		return plan;
	}

	static @Nullable StopPlan current() {
		return current.get();
	}

	/**
	 * A call did not return in time.
	 */
	public synchronized void gaveUp() {
		this.gaveUp = true;
	}

	/**
	 * The stop is over.
	 */
	public synchronized void end() {
		this.over = true;
		if (current.get() == this) {
			current.remove();
		}
		if (!this.gaveUp) {
			this.violations.forEach(CallOrder::tell);
		}
	}

	/**
	 * Return what was done in a wrong order.
	 * @return one sentence for each violation
	 */
	List<String> violations() {
		return List.copyOf(this.violations);
	}

	synchronized void enter(Phase phase, String call) {
		if (this.over) {
			return;
		}
		if (phase.compareTo(this.phase) < 0) {
			this.violations.add(call + ", which is for the phase " + phase + " of a stop, in the phase " + this.phase);
		}
		else {
			this.phase = phase;
		}
	}

	/**
	 * Part of a stop that no earlier part may follow.
	 */
	enum Phase {

		/** Listening ids are destroyed. */
		LISTENERS,

		/** Multicast groups are left. */
		GROUPS,

		/** Connections are disconnected. */
		DISCONNECT,

		/** Queue pairs are destroyed. */
		QUEUE_PAIRS,

		/** What queue pairs use is freed. */
		VERBS,

		/** The other ids are destroyed. */
		IDS

	}

}
