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
record StepClock(Instant startedAt, long startedNanos) {

	static StepClock start() {
		return new StepClock(Instant.now(), System.nanoTime());
	}

	Instant at(long nanoTime) {
		return this.startedAt.plusNanos(nanoTime - this.startedNanos);
	}

	Instant now() {
		return at(System.nanoTime());
	}

	Duration elapsed() {
		return Duration.ofNanos(System.nanoTime() - this.startedNanos);
	}

}
