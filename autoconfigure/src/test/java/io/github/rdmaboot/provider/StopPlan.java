package io.github.rdmaboot.provider;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import org.jspecify.annotations.Nullable;

/**
 * Plan of a stop of all endpoints of a registry: the listeners go first, then groups are
 * left, all connections are disconnected before the first queue pair goes, all queue
 * pairs go before what they used, and the other ids go last. Holds for the thread that
 * conducts the stop and for those that it makes to carry it out; others may end a
 * connection of their own meanwhile.
 * <p>
 * What a call that is given up keeps from being done in time is done whenever it returns,
 * so nothing is expected of a stop with such a call.
 */
public final class StopPlan {

	private static final StopPlan NONE = new StopPlan();

	private static final Map<Thread, StopPlan> conducted = new ConcurrentHashMap<>();

	private static final ThreadLocal<@Nullable StopPlan> inherited = new InheritableThreadLocal<>() {

		@Override
		protected StopPlan childValue(@Nullable StopPlan parentValue) {
			return conducted.getOrDefault(Thread.currentThread(), (parentValue != null) ? parentValue : NONE);
		}

	};

	private static volatile StopPlan latest = NONE;

	private final List<Phase> entered = new CopyOnWriteArrayList<>();

	private final List<String> violations = new CopyOnWriteArrayList<>();

	private Phase phase = Phase.LISTENERS;

	private boolean over;

	private boolean gaveUp;

	private StopPlan() {
	}

	/**
	 * Have threads know of stops that are conducted by the calling one, or one that it
	 * makes, or one that such a thread makes.
	 */
	public static void follow() {
		inherited.set(NONE);
	}

	/**
	 * Begin a stop.
	 * @param conductor the thread that conducts it, which waits meanwhile
	 * @return the plan
	 */
	public static StopPlan begin(Thread conductor) {
		StopPlan plan = new StopPlan();
		conducted.put(conductor, plan);
		return plan;
	}

	static @Nullable StopPlan current() {
		StopPlan plan = conducted.get(Thread.currentThread());
		if (plan == null) {
			plan = inherited.get();
		}
		return (plan != NONE) ? plan : null;
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
		latest = this;
		conducted.values().remove(this);
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

	/**
	 * Return what the stop that was over last was seen to do.
	 * @return its phases in the order in which they were entered
	 */
	public static List<Phase> latestPhases() {
		return List.copyOf(latest.entered);
	}

	synchronized void enter(Phase phase, String call) {
		if (this.over) {
			return;
		}
		if (!this.entered.contains(phase)) {
			this.entered.add(phase);
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
	public enum Phase {

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
