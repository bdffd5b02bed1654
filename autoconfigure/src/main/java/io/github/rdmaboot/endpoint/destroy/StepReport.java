package io.github.rdmaboot.endpoint.destroy;

import java.time.Duration;
import java.time.Instant;

import io.github.rdmaboot.provider.Errno;

/**
 * What one step of a destroy did.
 *
 * @param step the step
 * @param subject what it was done to, {@code echo} or {@code echo#3} for instance
 * @param startedAt when it began
 * @param duration how long it took
 * @param outcome how it ended
 * @param call the C function that failed or is stuck, otherwise empty
 * @param errno the error number, otherwise 0
 * @param detail a sentence about what happened, otherwise empty
 */
public record StepReport(DestroyStepName step, String subject, Instant startedAt, Duration duration,
		StepOutcome outcome, String call, int errno, String detail) {

	/**
	 * Return the symbol of the error for logs and metrics.
	 * @return {@code EBUSY} for instance, {@code ETIMEDOUT} for a stuck call, or
	 * {@code none}
	 */
	public String error() {
		if (this.errno != 0) {
			return Errno.symbol(this.errno);
		}
		return switch (this.outcome) {
			case TIMEOUT, ABANDONED -> Errno.ETIMEDOUT.name();
			case FAILURE -> "unknown";
			case SUCCESS, EXPIRED -> "none";
		};
	}

}
