package io.github.rdmaboot.endpoint.destroy;

import java.time.Duration;
import java.time.Instant;

/**
 * Tells the time during one destroy: asked for the time of day once, since a large
 * destroy has thousands of steps.
 *
 * @param startedAt when the destroy began
 * @param startedNanos the same by {@link System#nanoTime()}
 */
public record StepClock(Instant startedAt, long startedNanos) {

	/**
	 * Begin now.
	 * @return the clock
	 */
	public static StepClock start() {
		return new StepClock(Instant.now(), System.nanoTime());
	}

	Instant at(long nanoTime) {
		return this.startedAt.plusNanos(nanoTime - this.startedNanos);
	}

	Instant now() {
		return at(System.nanoTime());
	}

	/**
	 * Return how long the destroy has taken, whatever became of the time of day.
	 * @return the time since it began
	 */
	public Duration elapsed() {
		return Duration.ofNanos(System.nanoTime() - this.startedNanos);
	}

}
