package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;

/**
 * Pauses between attempts to connect: doubled each time, with a random part so that many
 * clients do not come back at once. Guarded by the client that uses it.
 */
final class Backoff {

	private final ReconnectSettings settings;

	private int attempts;

	private int pauses;

	Backoff(ReconnectSettings settings) {
		this.settings = settings;
	}

	/**
	 * Return the pause before the next attempt.
	 * @return the pause, or {@code null} when no further attempt is to be made
	 */
	@Nullable Duration next() {
		if (this.settings.maxAttempts() > 0 && this.attempts >= this.settings.maxAttempts()) {
			return null;
		}
		this.attempts++;
		return nextUncounted();
	}

	/**
	 * Return the pause before an attempt that uses up none of the configured number,
	 * since the peer asked for it.
	 * @return the pause, or {@code null} when no further attempt is to be made
	 */
	@Nullable Duration nextUncounted() {
		if (!this.settings.enabled()) {
			return null;
		}
		long pause = this.settings.initialBackoff().toNanos();
		long max = this.settings.maxBackoff().toNanos();
		for (int i = 0; i < this.pauses && pause < max; i++) {
			pause *= 2;
		}
		this.pauses++;
		pause = Math.min(pause, max);
		double random = this.settings.jitter() * ThreadLocalRandom.current().nextDouble();
		return Duration.ofNanos((long) (pause * (1 - random)));
	}

	void reset() {
		this.attempts = 0;
		this.pauses = 0;
	}

}
