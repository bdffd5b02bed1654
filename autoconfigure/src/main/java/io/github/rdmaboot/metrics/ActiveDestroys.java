package io.github.rdmaboot.metrics;

import java.util.HashMap;
import java.util.Map;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.StepOutcome;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.MeterRegistry;

/**
 * Long task timer of destroys that are under way. A destroy that left stuck calls behind
 * stays active until the last of them has returned, for it is the one that needs
 * attention. Guarded by its own monitor: destroys start, end and return late on different
 * threads.
 */
final class ActiveDestroys {

	/**
	 * Value of the tag {@code endpoint} for the stop of all endpoints with what they
	 * share; no endpoint may have this name.
	 */
	static final String ALL = "all";

	private final MeterRegistry registry;

	private final Map<Subject, Active> active = new HashMap<>();

	ActiveDestroys(MeterRegistry registry) {
		this.registry = registry;
		register(ALL);
	}

	void register(String endpoint) {
		timer(endpoint);
	}

	synchronized void started(String endpoint, long connection) {
		this.active.computeIfAbsent(new Subject(endpoint, connection),
				(subject) -> new Active(timer(endpoint).start()));
	}

	synchronized void stopStarted() {
		started(ALL, 0);
		Active stop = this.active.get(new Subject(ALL, 0));
		if (stop != null) {
			stop.stuck++;
		}
	}

	synchronized void stopEnded() {
		Active stop = this.active.get(new Subject(ALL, 0));
		if (stop != null) {
			// Another one may still be stuck.
			stop.stuck--;
			stop.over = true;
			stopIfOver(new Subject(ALL, 0), stop);
		}
	}

	synchronized void ended(DestroyReport report) {
		Subject subject = new Subject(report.endpoint(), report.connection());
		Active ended = this.active.get(subject);
		if (ended != null) {
			ended.stuck += report.steps().stream().filter((step) -> step.outcome() == StepOutcome.TIMEOUT).count();
			ended.over = true;
			stopIfOver(subject, ended);
		}
	}

	synchronized void returnedLate(String endpoint, long connection) {
		Subject subject = new Subject(endpoint, connection);
		Active late = this.active.get(subject);
		if (late != null) {
			late.stuck--;
			stopIfOver(subject, late);
		}
	}

	private void stopIfOver(Subject subject, Active candidate) {
		if (candidate.over && candidate.stuck <= 0) {
			candidate.sample.stop();
			this.active.remove(subject);
		}
	}

	private LongTaskTimer timer(String endpoint) {
		return LongTaskTimer.builder(RdmaMeters.DESTROY_ACTIVE)
			.description("Destroys under way or stuck")
			.tag(RdmaMeters.ENDPOINT, endpoint)
			.register(this.registry);
	}

	private record Subject(String endpoint, long connection) {

	}

	private static final class Active {

		private final LongTaskTimer.Sample sample;

		private long stuck;

		private boolean over;

		private Active(LongTaskTimer.Sample sample) {
			this.sample = sample;
		}

	}

}
