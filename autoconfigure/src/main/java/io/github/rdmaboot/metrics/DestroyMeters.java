package io.github.rdmaboot.metrics;

import java.util.List;

import io.github.rdmaboot.endpoint.RdmaClient;
import io.github.rdmaboot.endpoint.RdmaDatagramEndpoint;
import io.github.rdmaboot.endpoint.RdmaEndpoint;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyStepName;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.endpoint.destroy.StepOutcome;
import io.github.rdmaboot.endpoint.destroy.StepReport;
import io.github.rdmaboot.provider.Errno;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

/**
 * Meters of destroys that ended. What cannot be foreseen, a rare error above all, is
 * registered when it happens; a closed registry takes no new meters, so there it is
 * counted under the error {@code other}, which is registered up front.
 */
final class DestroyMeters {

	/**
	 * Value of the tag {@code error} for an error that a closed registry does not know.
	 */
	static final String OTHER = "other";

	private static final String TIMED_OUT = Errno.ETIMEDOUT.name();

	private static final List<String> FORESEEN_ERRORS = List.of(Errno.EBUSY.name(), Errno.EINVAL.name(),
			Errno.EIO.name(), Errno.ENODEV.name(), OTHER);

	private final MeterRegistry registry;

	DestroyMeters(MeterRegistry registry) {
		this.registry = registry;
	}

	void register(RdmaEndpoint source) {
		String endpoint = source.name();
		for (DestroyTrigger trigger : DestroyTrigger.values()) {
			if (trigger == DestroyTrigger.RELISTEN && source instanceof RdmaClient) {
				continue;
			}
			destroy(endpoint, trigger, DestroyResult.SUCCESS, RdmaMeters.NONE);
			destroy(endpoint, trigger, DestroyResult.FAILURE, OTHER);
			destroy(endpoint, trigger, DestroyResult.TIMEOUT, TIMED_OUT);
		}
		for (String error : FORESEEN_ERRORS) {
			destroy(endpoint, DestroyTrigger.SHUTDOWN, DestroyResult.FAILURE, error);
		}
		destroy(endpoint, DestroyTrigger.SHUTDOWN, DestroyResult.TIMEOUT, OTHER);
		for (DestroyStepName step : DestroyStepName.values()) {
			if (step.isOfDatagramsOnly() && !(source instanceof RdmaDatagramEndpoint)) {
				continue;
			}
			for (StepOutcome outcome : StepOutcome.values()) {
				if (outcome != StepOutcome.EXPIRED || step.isWait()) {
					step(endpoint, step, outcome);
				}
			}
			failures(endpoint, step, TIMED_OUT);
			failures(endpoint, step, Errno.EBUSY.name());
			failures(endpoint, step, OTHER);
		}
	}

	void record(DestroyReport report) {
		String endpoint = report.endpoint();
		String error = known(RdmaMeters.DESTROY,
				destroyTags(endpoint, report.trigger(), report.result(), report.error()), report.error());
		destroy(endpoint, report.trigger(), report.result(), error).record(report.duration());
		for (StepReport step : report.steps()) {
			step(endpoint, step.step(), step.outcome()).record(step.duration());
		}
		report.failures().forEach((step) -> recordFailure(endpoint, step));
	}

	// Record a step that ended after its destroy, which counted it as stuck or not
	// attempted.
	void recordLate(String endpoint, StepReport step) {
		if (step.outcome() == StepOutcome.FAILURE) {
			recordFailure(endpoint, step);
		}
	}

	private void recordFailure(String endpoint, StepReport step) {
		failures(endpoint, step.step(),
				known(RdmaMeters.DESTROY_FAILURES, failureTags(endpoint, step.step(), step.error()), step.error()))
			.increment();
	}

	private String known(String name, Tags tags, String error) {
		boolean lost = this.registry.isClosed() && this.registry.find(name).tags(tags).meter() == null;
		return lost ? OTHER : error;
	}

	private Timer destroy(String endpoint, DestroyTrigger trigger, DestroyResult result, String error) {
		return Timer.builder(RdmaMeters.DESTROY)
			.description("Destroys of endpoints and connections")
			.tags(destroyTags(endpoint, trigger, result, error))
			.register(this.registry);
	}

	private Timer step(String endpoint, DestroyStepName step, StepOutcome outcome) {
		return Timer.builder(RdmaMeters.DESTROY_STEP)
			.description("Steps of destroys")
			.tags(RdmaMeters.ENDPOINT, endpoint, RdmaMeters.STEP, step.tag(), RdmaMeters.RESULT, outcome.tag())
			.register(this.registry);
	}

	private Counter failures(String endpoint, DestroyStepName step, String error) {
		return Counter.builder(RdmaMeters.DESTROY_FAILURES)
			.description("Steps of destroys that failed, are stuck or were not attempted")
			.tags(failureTags(endpoint, step, error))
			.register(this.registry);
	}

	private static Tags destroyTags(String endpoint, DestroyTrigger trigger, DestroyResult result, String error) {
		return Tags.of(RdmaMeters.ENDPOINT, endpoint, RdmaMeters.TRIGGER, trigger.tag(), RdmaMeters.RESULT,
				result.tag(), RdmaMeters.ERROR, error);
	}

	private static Tags failureTags(String endpoint, DestroyStepName step, String error) {
		return Tags.of(RdmaMeters.ENDPOINT, endpoint, RdmaMeters.STEP, step.tag(), RdmaMeters.ERROR, error);
	}

}
