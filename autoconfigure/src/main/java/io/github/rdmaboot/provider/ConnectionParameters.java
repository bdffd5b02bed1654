package io.github.rdmaboot.provider;

/**
 * Parameters of a connection; stands for {@code struct rdma_conn_param}.
 *
 * @param privateData bytes for the peer; at most 56 in a request, 196 in an acceptance
 * @param responderResources how many reads and atomics of the peer are served at once, 0
 * to 255; 255 takes the device's maximum
 * @param initiatorDepth how many reads and atomics are outstanding at once, 0 to 255; 255
 * takes the device's maximum
 * @param flowControl whether the hardware controls the flow
 * @param retryCount how often an unanswered packet is sent again, 0 to 7
 * @param rnrRetryCount how often a packet is sent again for which the peer had no
 * receive, 0 to 7; 7 means without end
 * @param srq whether the queue pair has a shared receive queue; only for a queue pair
 * that the caller manages
 * @param qpNum the queue pair number; only for a queue pair that the caller manages
 */
public record ConnectionParameters(byte[] privateData, int responderResources, int initiatorDepth, boolean flowControl,
		int retryCount, int rnrRetryCount, boolean srq, int qpNum) {

}
