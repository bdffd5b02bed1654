package io.github.rdmaboot.endpoint.destroy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a destroy did, step by step.
 *
 * @param endpoint the configured name of the endpoint
 * @param connection the number of the connection that was destroyed, or 0 when the whole
 * endpoint was
 * @param trigger why it was destroyed
 * @param startedAt when it began
 * @param duration how long it took
 * @param result how it ended
 * @param connections how many connections were destroyed
 * @param steps the steps in the order in which they ended
 */
public record DestroyReport(String endpoint, long connection, DestroyTrigger trigger, Instant startedAt,
		Duration duration, DestroyResult result, int connections, List<StepReport> steps) {

	public DestroyReport {
		steps = List.copyOf(steps);
	}

	/**
	 * Return the symbol of the first error for logs and metrics.
	 * @return {@code EBUSY} for instance, or {@code none}
	 */
	public String error() {
		return error(failures());
	}

	private static String error(List<StepReport> failures) {
		return failures.isEmpty() ? "none" : failures.get(0).error();
	}

	/**
	 * Return the steps that failed, are stuck or were not attempted.
	 * @return those steps
	 */
	public List<StepReport> failures() {
		// One endpoint of many connections has thousands of steps, and each report is
		// looked through several times.
		List<StepReport> failures = List.of();
		for (StepReport step : this.steps) {
			if (step.outcome() != StepOutcome.SUCCESS && step.outcome() != StepOutcome.EXPIRED) {
				failures = failures.isEmpty() ? new ArrayList<>() : failures;
				failures.add(step);
			}
		}
		return failures;
	}

	/**
	 * Return the time that each step took, summed over the connections.
	 * @return the time by step, in the order of the steps
	 */
	public Map<DestroyStepName, Duration> durations() {
		Map<DestroyStepName, Duration> durations = new EnumMap<>(DestroyStepName.class);
		this.steps.forEach((step) -> durations.merge(step.step(), step.duration(), Duration::plus));
		return durations;
	}

	/**
	 * Return what was destroyed.
	 * @return the endpoint's name, with the connection's number behind it if it was one
	 */
	public String subject() {
		return (this.connection == 0) ? this.endpoint : this.endpoint + "#" + this.connection;
	}

	/**
	 * Return the report as one line of {@code key=value} pairs.
	 * @return the line, without a line break
	 */
	public String toLine() {
		List<StepReport> failures = failures();
		StringBuilder line = new StringBuilder("endpoint=").append(subject())
			.append(" trigger=")
			.append(this.trigger.tag())
			.append(" result=")
			.append(this.result.tag())
			.append(" error=")
			.append(error(failures))
			.append(" took=")
			.append(millis(this.duration))
			.append(" connections=")
			.append(this.connections);
		durations().forEach((step, took) -> line.append(' ').append(step.tag()).append('=').append(millis(took)));
		if (!failures.isEmpty()) {
			line.append(failures.stream()
				.map((step) -> step.subject() + " " + step.step().tag() + " " + step.outcome().tag() + ": "
						+ step.detail())
				.collect(Collectors.joining("; ", " failures=[", "]")));
		}
		return line.toString();
	}

	private static String millis(Duration duration) {
		long micros = duration.toNanos() / 1000;
		return (micros / 1000) + "." + ((micros / 100) % 10) + "ms";
	}

}
