package io.github.rdmaboot.provider;

/**
 * How to create a queue pair; stands for {@code struct ibv_qp_init_attr}.
 *
 * @param sendCq the completion queue of its sends
 * @param recvCq the completion queue of its receives
 * @param srq the shared receive queue or 0
 * @param capabilities the sizes asked for
 * @param type the kind
 * @param signalAll whether every send produces a completion
 */
public record QueuePairInit(long sendCq, long recvCq, long srq, QueuePairCapabilities capabilities, QueuePairType type,
		boolean signalAll) {

}
