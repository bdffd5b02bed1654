package io.github.rdmaboot.endpoint.destroy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadFactory;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Destroys groups of native objects together: each step for all members before the next
 * step, none left out because an earlier one failed, and nobody waiting for a call that
 * does not return.
 * <p>
 * A native call cannot be interrupted. One that passes its limit is left behind with its
 * daemon thread, and with it the remaining steps of that member alone, since they would
 * touch what the call still uses.
 */
public final class OrderlyDestroy {

	private static final Logger logger = LoggerFactory.getLogger(OrderlyDestroy.class);

	private final DestroyLimits limits;

	private final DestroyListener listener;

	private final ThreadFactory threads;

	/**
	 * Create the destroyer.
	 * @param limits the limits
	 * @param listener learns of what happens
	 */
	public OrderlyDestroy(DestroyLimits limits, DestroyListener listener) {
		this(limits, listener, Reapers.DAEMONS);
	}

	/**
	 * Create the destroyer.
	 * @param limits the limits
	 * @param listener learns of what happens
	 * @param threads makes the threads that carry out the steps
	 */
	public OrderlyDestroy(DestroyLimits limits, DestroyListener listener, ThreadFactory threads) {
		this.limits = limits;
		this.listener = listener;
		this.threads = threads;
	}

	/**
	 * Destroy groups on the calling thread, which is held up for at most the total limit.
	 * @param groups what to destroy
	 * @param trigger why
	 * @return a report for each group, in the same order
	 */
	public List<DestroyReport> run(List<DestroyGroup> groups, DestroyTrigger trigger) {
		return run(groups, trigger, () -> {
		});
	}

	/**
	 * Destroy groups on the calling thread, which is held up for at most the total limit.
	 * @param groups what to destroy
	 * @param trigger why
	 * @param started run once the listener was told that all groups are started, and
	 * before the first step; not run if there are no groups
	 * @return a report for each group, in the same order
	 */
	public List<DestroyReport> run(List<DestroyGroup> groups, DestroyTrigger trigger, Runnable started) {
		Deadline total = Deadline.after(this.limits.total());
		StepClock clock = StepClock.start();
		List<Progress> all = new ArrayList<>();
		List<List<Progress>> byGroup = new ArrayList<>(groups.size());
		for (DestroyGroup group : groups) {
			this.listener.destroyStarted(group.endpoint(), group.connection(), trigger);
			List<Progress> members = group.members().stream().map((member) -> new Progress(group, member)).toList();
			byGroup.add(members);
			all.addAll(members);
		}
		// Nobody need wait for the begin of nothing.
		if (!groups.isEmpty()) {
			started.run();
		}
		try (Reapers reapers = new Reapers(this.threads)) {
			for (DestroyStepName step : DestroyStepName.values()) {
				runStep(reapers, step, all, total, clock);
			}
		}
		List<DestroyReport> reports = new ArrayList<>();
		for (int i = 0; i < groups.size(); i++) {
			DestroyReport report = report(groups.get(i), byGroup.get(i), trigger, clock.startedAt(), clock.elapsed());
			reports.add(report);
			this.listener.destroyEnded(report);
		}
		return reports;
	}

	private void runStep(Reapers reapers, DestroyStepName step, List<Progress> all, Deadline total, StepClock clock) {
		Deadline deadline = this.limits.deadlineOf(step, total);
		List<StepTask> tasks = new ArrayList<>(all.size());
		List<Progress> members = new ArrayList<>(all.size());
		for (Progress member : all) {
			DestroyStep work = member.member.steps().get(step);
			if (work == null) {
				continue;
			}
			if (member.stuck) {
				member.reports.add(new StepReport(step, member.member.subject(), clock.now(), Duration.ZERO,
						StepOutcome.ABANDONED, "", 0, "an earlier call is still stuck"));
				continue;
			}
			members.add(member);
			tasks.add(new StepTask(step, member.member.subject(), work, deadline, clock, member));
		}
		// A wait gives up by itself, so what bounds it here is a backstop.
		Deadline patience = step.isWait() ? deadline : Deadline.after(Duration.ZERO);
		Duration limit = step.isWait() ? deadline.remaining().plus(this.limits.call()) : this.limits.call();
		List<StepTask> order = new ArrayList<>(tasks);
		if (step.isWait()) {
			// What was asked last answers last as a rule: when it has, no other wait
			// blocks.
			Collections.reverse(order);
		}
		reapers.runAll(order, patience, limit, total);
		for (int i = 0; i < tasks.size(); i++) {
			members.get(i).add(tasks.get(i).conclude());
		}
	}

	// Runs on the thread that had been stuck. What the member still has can be freed now.
	private void returnedLate(Progress member, StepReport report) {
		logger.warn("Call that was left behind returned after {} ms: {} of {}, {} {}", report.duration().toMillis(),
				report.step().tag(), report.subject(), report.outcome().tag(), report.detail());
		List<StepReport> lateSteps = new ArrayList<>();
		for (DestroyStepName step : DestroyStepName.values()) {
			DestroyStep work = member.member.steps().get(step);
			if (work != null && step.compareTo(report.step()) > 0) {
				StepReport late = StepTask.runNow(step, member.member.subject(), work);
				log(late);
				lateSteps.add(late);
			}
		}
		// Last, for nobody else may be left to run the listener.
		DestroyGroup group = member.group;
		this.listener.returnedLate(group.endpoint(), group.connection(), report, report.duration());
		lateSteps.forEach((late) -> this.listener.lateStepEnded(group.endpoint(), group.connection(), late));
	}

	// No report tells of it, for that was made when the step was given up.
	private static void log(StepReport late) {
		if (late.outcome() == StepOutcome.FAILURE) {
			logger.warn("Late step {} of {} failed, and what it was to free is left: {} {}: {}", late.step().tag(),
					late.subject(), late.call(), late.error(), late.detail());
		}
		else {
			logger.info("Late step {} of {}: {} {}", late.step().tag(), late.subject(), late.outcome().tag(),
					late.detail());
		}
	}

	private static DestroyReport report(DestroyGroup group, List<Progress> members, DestroyTrigger trigger,
			Instant startedAt, Duration duration) {
		List<StepReport> steps = new ArrayList<>();
		DestroyResult result = DestroyResult.SUCCESS;
		int connections = 0;
		for (Progress member : members) {
			steps.addAll(member.reports);
			connections += member.member.connection() ? 1 : 0;
			if (member.stuck) {
				result = DestroyResult.TIMEOUT;
			}
			else if (member.failed && result == DestroyResult.SUCCESS) {
				result = DestroyResult.FAILURE;
			}
		}
		return new DestroyReport(group.endpoint(), group.connection(), trigger, startedAt, duration, result,
				connections, steps);
	}

	/**
	 * What has become of a member so far.
	 */
	private final class Progress implements StepTask.LateReturn {

		private final DestroyGroup group;

		private final DestroyMember member;

		private final List<StepReport> reports = new ArrayList<>();

		private boolean stuck;

		private boolean failed;

		private Progress(DestroyGroup group, DestroyMember member) {
			this.group = group;
			this.member = member;
		}

		@Override
		public void returned(StepReport report) {
			returnedLate(this, report);
		}

		private void add(StepReport report) {
			this.reports.add(report);
			this.failed |= report.outcome() == StepOutcome.FAILURE;
			this.stuck |= report.outcome() == StepOutcome.TIMEOUT || report.outcome() == StepOutcome.ABANDONED;
		}

	}

}
