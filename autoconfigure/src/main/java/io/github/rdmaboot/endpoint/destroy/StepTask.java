package io.github.rdmaboot.endpoint.destroy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

import io.github.rdmaboot.provider.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * One step on one member, run by a reaper thread and watched by the conductor. The state
 * is one atomic value: whoever moves a running task on, its thread by ending or the
 * conductor by leaving it behind, has the say.
 */
final class StepTask implements Runnable {

	private enum State {

		PENDING, RUNNING, DONE, LEFT_BEHIND

	}

	private final DestroyStepName step;

	private final String subject;

	private final DestroyStep work;

	private final Deadline deadline;

	private final StepClock clock;

	private final LateReturn lateReturn;

	private final AtomicReference<State> state = new AtomicReference<>(State.PENDING);

	private volatile long startedAt;

	private volatile @Nullable Thread thread;

	private volatile @Nullable StepReport report;

	StepTask(DestroyStepName step, String subject, DestroyStep work, Deadline deadline, StepClock clock,
			LateReturn lateReturn) {
		this.step = step;
		this.subject = subject;
		this.work = work;
		this.deadline = deadline;
		this.clock = clock;
		this.lateReturn = lateReturn;
	}

	// Carry out a step at once, without anybody watching.
	static StepReport runNow(DestroyStepName step, String subject, DestroyStep work) {
		StepTask task = new StepTask(step, subject, work, Deadline.after(Duration.ZERO), StepClock.start(),
				(report) -> {
				});
		task.startedAt = System.nanoTime();
		return task.execute();
	}

	@Override
	public void run() {
		this.thread = Thread.currentThread();
		this.startedAt = System.nanoTime();
		this.state.compareAndSet(State.PENDING, State.RUNNING);
		StepReport report = execute();
		this.report = report;
		if (!this.state.compareAndSet(State.RUNNING, State.DONE)) {
			this.lateReturn.returned(report);
		}
	}

	// Return whether the task has ended or has been running for longer than the limit, or
	// waits for a call that has.
	boolean isOver(Duration limit) {
		if (this.state.get() == State.DONE || runningFor().compareTo(limit) >= 0) {
			return true;
		}
		CallInProgress awaited = awaited();
		return awaited != null && awaited.elapsed().compareTo(limit) >= 0;
	}

	private @Nullable CallInProgress awaited() {
		return (this.state.get() != State.PENDING) ? this.work.awaited() : null;
	}

	Duration runningFor() {
		return (this.state.get() != State.PENDING) ? Duration.ofNanos(System.nanoTime() - this.startedAt)
				: Duration.ZERO;
	}

	/**
	 * Leave the task behind if it is still running, or keep it from ever starting.
	 * @return the report of what became of it
	 */
	StepReport conclude() {
		if (this.state.compareAndSet(State.PENDING, State.LEFT_BEHIND)) {
			return new StepReport(this.step, this.subject, this.clock.now(), Duration.ZERO, StepOutcome.TIMEOUT,
					this.step.call(), 0, "not begun when the time was up; goes on in the background");
		}
		CallInProgress awaited = awaited();
		String function = stuckFunction(awaited);
		if (this.state.compareAndSet(State.RUNNING, State.LEFT_BEHIND)) {
			Duration took = runningFor();
			if (awaited != null && awaited != awaited()) {
				return report(took, StepOutcome.TIMEOUT, this.step.call(), 0,
						"not done after " + took.toMillis() + " ms; goes on in the background");
			}
			if (awaited != null) {
				awaited.giveUp();
				return report(took, StepOutcome.TIMEOUT, function, 0,
						"thread '" + awaited.thread().getName() + "' is still inside " + function + " after "
								+ awaited.elapsed().toMillis() + " ms and left behind");
			}
			return report(took, StepOutcome.TIMEOUT, function, 0,
					"still inside " + function + " after " + took.toMillis() + " ms; left behind with its thread");
		}
		StepReport report = this.report;
		if (report == null) {
			throw new IllegalStateException("Step " + this.step.tag() + " was concluded twice");
		}
		return report;
	}

	// Return the C function that keeps the step, if one does.
	private String stuckFunction(@Nullable CallInProgress awaited) {
		Thread thread = (awaited != null) ? awaited.thread() : this.thread;
		if (thread == null || this.state.get() != State.RUNNING) {
			return this.step.call();
		}
		return CallInProgress.function(thread, this.step.call());
	}

	private StepReport execute() {
		try {
			boolean done = this.work.run(this.deadline);
			return report(done ? StepOutcome.SUCCESS : StepOutcome.EXPIRED, "", 0, done ? "" : "the limit was reached");
		}
		catch (RdmaException ex) {
			return report(StepOutcome.FAILURE, ex.call(), ex.errno(), String.valueOf(ex.getMessage()));
		}
		catch (RuntimeException | Error ex) {
			return report(StepOutcome.FAILURE, CallInProgress.function(ex), 0, ex.toString());
		}
	}

	private StepReport report(StepOutcome outcome, String call, int errno, String detail) {
		return report(Duration.ofNanos(System.nanoTime() - this.startedAt), outcome, call, errno, detail);
	}

	private StepReport report(Duration took, StepOutcome outcome, String call, int errno, String detail) {
		return new StepReport(this.step, this.subject, this.clock.at(this.startedAt), took, outcome, call, errno,
				detail);
	}

	/**
	 * Learns that a task which was left behind has ended.
	 */
	@FunctionalInterface
	interface LateReturn {

		/**
		 * The task ended.
		 * @param report what it did
		 */
		void returned(StepReport report);

	}

}
