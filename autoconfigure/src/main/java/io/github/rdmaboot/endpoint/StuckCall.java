package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.time.Instant;

/**
 * Native call of a destroy that did not return in time and was left behind with its
 * thread.
 *
 * @param call the C function, {@code rdma_destroy_id} for instance
 * @param subject what it was called for: the CM id's name, {@code echo} or {@code echo#3}
 * for instance
 * @param since when the call was made
 */
public record StuckCall(String call, String subject, Instant since) {

	/**
	 * Return how long the call has been stuck.
	 * @return the time, in milliseconds
	 */
	public Duration stuckFor() {
		return Duration.ofMillis(Math.max(0, Duration.between(this.since, Instant.now()).toMillis()));
	}

	@Override
	public String toString() {
		return this.call + " of " + this.subject + " for " + stuckFor().toMillis() + " ms";
	}

}
