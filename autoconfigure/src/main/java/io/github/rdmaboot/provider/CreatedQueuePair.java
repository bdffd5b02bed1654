package io.github.rdmaboot.provider;

/**
 * Queue pair that was just created.
 *
 * @param qp the handle
 * @param qpNum the queue pair number, 24 bits
 * @param capabilities what it really got, which is at least what was asked for
 */
public record CreatedQueuePair(long qp, int qpNum, QueuePairCapabilities capabilities) {

}
