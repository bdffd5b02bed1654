package io.github.rdmaboot.provider;

/**
 * Sizes of a queue pair; stands for {@code struct ibv_qp_cap}.
 *
 * @param maxSendWr how many sends it holds
 * @param maxRecvWr how many receives it holds; from 1 unless it has a shared receive
 * queue
 * @param maxSendSge how many buffers a send has at most
 * @param maxRecvSge how many buffers a receive has at most
 * @param maxInlineData how many bytes a send may carry inline
 */
public record QueuePairCapabilities(int maxSendWr, int maxRecvWr, int maxSendSge, int maxRecvSge, int maxInlineData) {

}
