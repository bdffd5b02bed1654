package io.github.rdmaboot.endpoint.destroy;

import org.jspecify.annotations.Nullable;

/**
 * Work of one step on one member of a destroy.
 */
@FunctionalInterface
public interface DestroyStep {

	/**
	 * Carry out the step. A native call may take longer than the deadline: it is then
	 * left behind with its thread.
	 * @param deadline when a wait has to give up
	 * @return whether it is done; {@code false} only for a wait that reached its deadline
	 */
	boolean run(Deadline deadline);

	/**
	 * Return the call of another thread that the step is waiting for. What that has taken
	 * counts against the limit of the step, also from before the step began.
	 * @return the call, or {@code null} if the step makes its own calls
	 */
	default @Nullable CallInProgress awaited() {
		return null;
	}

}
