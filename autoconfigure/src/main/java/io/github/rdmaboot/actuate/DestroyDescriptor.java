package io.github.rdmaboot.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.StepReport;

/**
 * Description of a destroy.
 *
 * @param subject what was destroyed, {@code echo} or {@code echo#3} for instance
 * @param trigger why
 * @param startedAt when it began
 * @param duration how long it took
 * @param result how it ended
 * @param error the symbol of its first error, or {@code none}
 * @param connections how many connections were destroyed
 * @param steps the steps in the order in which they ended
 */
public record DestroyDescriptor(String subject, String trigger, Instant startedAt, Duration duration, String result,
		String error, int connections, List<Step> steps) {

	static DestroyDescriptor of(DestroyReport report) {
		return new DestroyDescriptor(report.subject(), report.trigger().tag(), report.startedAt(), report.duration(),
				report.result().tag(), report.error(), report.connections(),
				report.steps().stream().map(Step::of).toList());
	}

	/**
	 * Description of a step.
	 *
	 * @param step the step
	 * @param subject what it was done to
	 * @param duration how long it took
	 * @param result how it ended
	 * @param call the C function that failed or is stuck, otherwise empty
	 * @param error the symbol of the error, or {@code none}
	 * @param detail what happened, otherwise empty
	 */
	public record Step(String step, String subject, Duration duration, String result, String call, String error,
			String detail) {

		static Step of(StepReport report) {
			return new Step(report.step().tag(), report.subject(), report.duration(), report.outcome().tag(),
					report.call(), report.error(), report.detail());
		}

	}

}
