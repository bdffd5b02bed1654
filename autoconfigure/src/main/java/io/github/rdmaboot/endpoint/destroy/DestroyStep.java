package io.github.rdmaboot.endpoint.destroy;

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

}
