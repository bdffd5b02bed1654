package io.github.rdmaboot.provider;

import org.jspecify.annotations.Nullable;

/**
 * Copy of an event that was fetched and not yet acknowledged; stands for
 * {@code struct rdma_cm_event}.
 *
 * @param event the handle, to be acknowledged exactly once
 * @param type the number of the event's type, see {@link CmEventType#of}
 * @param status 0, a negative errno, or a positive code of the transport
 * @param id the CM id that the event is about; a new one for a connection request
 * @param listenId the listener of a connection request, otherwise 0. A connection request
 * counts against this id until it is acknowledged
 * @param privateData a copy of the peer's bytes with the transport's padding
 * @param responderResources the value of a connection request or acceptance
 * @param initiatorDepth the value of a connection request or acceptance
 * @param qpNum the peer's queue pair number
 * @param qkey the queue key of a datagram peer, otherwise 0
 * @param address the address of a datagram peer, otherwise {@code null}
 * @param context the number that the join of a multicast group was given which the event
 * is about, otherwise 0
 */
public record CmEventData(long event, int type, int status, long id, long listenId, byte[] privateData,
		int responderResources, int initiatorDepth, int qpNum, int qkey, @Nullable AddressHandleAttributes address,
		long context) {

}
