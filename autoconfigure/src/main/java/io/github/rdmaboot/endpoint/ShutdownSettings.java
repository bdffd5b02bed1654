package io.github.rdmaboot.endpoint;

import java.time.Duration;

/**
 * Limits of an orderly destroy.
 *
 * @param timeout the limit of the whole destroy of all endpoints
 * @param disconnectGrace how long all peers together may take to disconnect
 * @param drainTimeout how long all posted requests together may take to complete
 * @param destroyTimeout how long one native call of a destroy may take before it is left
 * behind
 */
public record ShutdownSettings(Duration timeout, Duration disconnectGrace, Duration drainTimeout,
		Duration destroyTimeout) {

	public ShutdownSettings {
		Settings.positive("timeout", timeout);
		Settings.notNegative("disconnect-grace", disconnectGrace);
		Settings.notNegative("drain-timeout", drainTimeout);
		Settings.positive("destroy-timeout", destroyTimeout);
	}

	/**
	 * Return the limits that hold unless configured otherwise.
	 * @return 20 s in all, 3 s for peers, 2 s for requests, 5 s for a call
	 */
	public static ShutdownSettings defaults() {
		return new ShutdownSettings(Duration.ofSeconds(20), Duration.ofSeconds(3), Duration.ofSeconds(2),
				Duration.ofSeconds(5));
	}

}
