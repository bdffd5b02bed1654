package io.github.rdmaboot.endpoint;

import java.time.Duration;

/**
 * How a client makes a lost connection anew, and a server listens again after its device
 * was removed.
 *
 * @param enabled whether it does so
 * @param initialBackoff the pause before the first attempt, doubled for each further one
 * @param maxBackoff the longest pause
 * @param jitter which part of the pause is random, 0 to 1
 * @param maxAttempts how many attempts are made before giving up, from 1, or 0 for no
 * limit
 */
public record ReconnectSettings(boolean enabled, Duration initialBackoff, Duration maxBackoff, double jitter,
		int maxAttempts) {

	public ReconnectSettings {
		Settings.positive("initial-backoff", initialBackoff);
		Settings.positive("max-backoff", maxBackoff);
		Settings.atLeast("max-attempts", maxAttempts, 0);
		if (!(jitter >= 0 && jitter <= 1)) {
			throw new IllegalArgumentException("jitter is " + jitter + " but must be from 0 to 1");
		}
		if (maxBackoff.compareTo(initialBackoff) < 0) {
			throw new IllegalArgumentException("max-backoff is " + Settings.text(maxBackoff)
					+ " but must not be shorter than initial-backoff, which is " + Settings.text(initialBackoff));
		}
	}

	/**
	 * Return the settings that hold unless configured otherwise.
	 * @return enabled without a limit of attempts, with pauses from 100 ms to 10 s
	 */
	public static ReconnectSettings defaults() {
		return new ReconnectSettings(true, Duration.ofMillis(100), Duration.ofSeconds(10), 0.2, 0);
	}

}
