package io.github.rdmaboot.endpoint.destroy;

import java.time.Duration;

/**
 * Learns of destroys. Each is told of one destroy in order, on a thread of its own;
 * different destroys may tell it at the same time, so implementations are safe for many
 * threads. What returned late is told on the thread that had been stuck if the destroy is
 * over by then. Implementations return quickly and do not throw. The destroy waits for
 * them within its limit, and goes on without one that blocks, as the others do.
 */
public interface DestroyListener {

	/**
	 * A destroy begins.
	 * @param endpoint the configured name of the endpoint
	 * @param connection the number of the connection, or 0 for the whole endpoint
	 * @param trigger why it is destroyed
	 */
	default void destroyStarted(String endpoint, long connection, DestroyTrigger trigger) {
	}

	/**
	 * A destroy ended.
	 * @param report what it did
	 */
	void destroyEnded(DestroyReport report);

	/**
	 * The destroy of all endpoints of a registry begins, at a shutdown for instance, or
	 * that of what a start has made which was given up.
	 * @param trigger why
	 */
	default void stopStarted(DestroyTrigger trigger) {
	}

	/**
	 * The destroy of all endpoints of a registry ended, and the event channel that they
	 * shared is destroyed or given up. Told late if the call that destroys the channel
	 * did not return in time.
	 * @param trigger why
	 * @param took how long it took
	 */
	default void stopEnded(DestroyTrigger trigger, Duration took) {
	}

	/**
	 * A call that had been left behind returned after all.
	 * @param endpoint the configured name of the endpoint
	 * @param connection the number of the connection, or 0 for the whole endpoint
	 * @param step what the step did in the end
	 * @param stuckFor how long the call took
	 */
	default void returnedLate(String endpoint, long connection, StepReport step, Duration stuckFor) {
	}

	/**
	 * A step was carried out that its destroy had reported as not attempted, because a
	 * call before it was stuck. Told after the return of that call is.
	 * @param endpoint the configured name of the endpoint
	 * @param connection the number of the connection, or 0 for the whole endpoint
	 * @param step what the step did
	 */
	default void lateStepEnded(String endpoint, long connection, StepReport step) {
	}

}
