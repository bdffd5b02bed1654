package io.github.rdmaboot.endpoint;

import java.time.Duration;

import io.github.rdmaboot.endpoint.destroy.DestroyListener;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.endpoint.destroy.StepReport;

/**
 * Hands on all but the end of a destroy, which is told when the endpoint or connection
 * has taken its state: a listener may then start or destroy it again.
 */
final class EndsToldLater implements DestroyListener {

	private final DestroyListener listener;

	EndsToldLater(DestroyListener listener) {
		this.listener = listener;
	}

	@Override
	public void destroyStarted(String endpoint, long connection, DestroyTrigger trigger) {
		this.listener.destroyStarted(endpoint, connection, trigger);
	}

	@Override
	public void stopStarted(DestroyTrigger trigger) {
		this.listener.stopStarted(trigger);
	}

	@Override
	public void stopEnded(DestroyTrigger trigger, Duration took) {
		this.listener.stopEnded(trigger, took);
	}

	@Override
	public void destroyEnded(DestroyReport report) {
		// Told by whoever conducts the destroy.
	}

	@Override
	public void returnedLate(String endpoint, long connection, StepReport step, Duration stuckFor) {
		this.listener.returnedLate(endpoint, connection, step, stuckFor);
	}

	@Override
	public void lateStepEnded(String endpoint, long connection, StepReport step) {
		this.listener.lateStepEnded(endpoint, connection, step);
	}

}
