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

	Backoff(ReconnectSettings settings) {
		this.settings = settings;
	}

	/**
	 * Return the pause before the next attempt.
	 * @return the pause, or {@code null} when no further attempt is to be made
	 */
	@Nullable Duration next() {
		if (!this.settings.enabled()
				|| (this.settings.maxAttempts() > 0 && this.attempts >= this.settings.maxAttempts())) {
			return null;
		}
		long pause = this.settings.initialBackoff().toNanos();
		long max = this.settings.maxBackoff().toNanos();
		for (int i = 0; i < this.attempts && pause < max; i++) {
			pause *= 2;
		}
		this.attempts++;
		pause = Math.min(pause, max);
		double random = this.settings.jitter() * ThreadLocalRandom.current().nextDouble();
		return Duration.ofNanos((long) (pause * (1 - random)));
	}

	void reset() {
		this.attempts = 0;
	}

}
