package io.github.rdmaboot.endpoint.destroy;

import java.time.Duration;

/**
 * Limits of an orderly destroy.
 *
 * @param total the limit of the whole
 * @param disconnectGrace how long all peers together may take to disconnect
 * @param drain how long all posted requests together may take to complete
 * @param call how long one native call may take before it is left behind
 */
public record DestroyLimits(Duration total, Duration disconnectGrace, Duration drain, Duration call) {

	/**
	 * Return these limits for what is part of something larger.
	 * @param total the limit of that
	 * @return the limits, of which the total is what is left
	 */
	public DestroyLimits within(Deadline total) {
		return new DestroyLimits(total.remaining(), this.disconnectGrace, this.drain, this.call);
	}

	Deadline deadlineOf(DestroyStepName step, Deadline total) {
		Duration limit = switch (step) {
			case AWAIT_DISCONNECTED -> this.disconnectGrace;
			case DRAIN -> this.drain;
			default -> this.call;
		};
		return Deadline.after(limit).orEarlier(total);
	}

}
