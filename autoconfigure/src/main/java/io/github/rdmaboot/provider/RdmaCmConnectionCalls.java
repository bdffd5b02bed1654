package io.github.rdmaboot.provider;

/**
 * The calls of librdmacm that make, change and end the connection of a CM id, its queue
 * pair included.
 */
public interface RdmaCmConnectionCalls {

	/**
	 * Create a queue pair on a CM id that is bound to a device; stands for
	 * {@code rdma_create_qp}. Crashes the process in C when the id is not bound to a
	 * device.
	 * @param id the CM id
	 * @param pd the protection domain
	 * @param init how to create the queue pair; both completion queues must be given
	 * @return the queue pair with the capabilities that it really got
	 * @throws RdmaException on EINVAL when the id has a queue pair already, for
	 * capabilities beyond the device's or when the peer gave up, ENOMEM
	 */
	CreatedQueuePair rdmaCreateQp(long id, long pd, QueuePairInit init);

	/**
	 * Create a queue pair with creation flags; stands for {@code rdma_create_qp_ex}.
	 * @param id the CM id
	 * @param pd the protection domain
	 * @param init how to create the queue pair
	 * @param createFlags the {@code IBV_QP_CREATE_*} flags
	 * @return the queue pair with the capabilities that it really got
	 * @throws RdmaException as {@link #rdmaCreateQp}, EOPNOTSUPP for unknown flags
	 */
	CreatedQueuePair rdmaCreateQpEx(long id, long pd, QueuePairInit init, int createFlags);

	/**
	 * Destroy the queue pair of a CM id; stands for {@code rdma_destroy_qp}, but reports
	 * what {@code ibv_destroy_qp} returned, which the C function swallows. May block
	 * until the queue pair's asynchronous events have been acknowledged. When the call
	 * fails the id keeps its queue pair.
	 * @param id the CM id, which must have a queue pair
	 * @throws RdmaException on EBUSY while attached to a multicast group, EIO when the
	 * device is gone
	 */
	void rdmaDestroyQp(long id);

	/**
	 * Begin to connect; stands for {@code rdma_connect}.
	 * @param id the CM id
	 * @param parameters the connection parameters
	 * @throws RdmaException on EINVAL in a wrong state, for private data longer than the
	 * transport takes or depths beyond the device's; on iWARP, ECONNREFUSED where nobody
	 * listens
	 */
	void rdmaConnect(long id, ConnectionParameters parameters);

	/**
	 * Complete an active connection whose queue pair the caller manages; stands for
	 * {@code rdma_establish}.
	 * @param id the CM id, which has no queue pair of its own
	 * @throws RdmaException on EINVAL in a wrong state
	 */
	void rdmaEstablish(long id);

	/**
	 * Listen for connection requests; stands for {@code rdma_listen}.
	 * @param id the CM id
	 * @param backlog how many requests may wait to be fetched; 0 takes the system's
	 * maximum
	 * @throws RdmaException on EINVAL in a wrong state, EADDRINUSE
	 */
	void rdmaListen(long id, int backlog);

	/**
	 * Accept a connection request; stands for {@code rdma_accept}.
	 * @param id the CM id that the request brought
	 * @param parameters the connection parameters
	 * @throws RdmaException on EINVAL when the peer gave up (ECONNRESET on iWARP) or in a
	 * wrong state, ENXIO after device removal
	 */
	void rdmaAccept(long id, ConnectionParameters parameters);

	/**
	 * Reject a connection request; the id must still be destroyed; stands for
	 * {@code rdma_reject}.
	 * @param id the CM id that the request brought
	 * @param privateData the reason for the peer; at most 148 bytes on InfiniBand and
	 * RoCE
	 * @throws RdmaException on EINVAL when the peer gave up (ECONNRESET on iWARP), in a
	 * wrong state or for private data that is too long
	 */
	void rdmaReject(long id, byte[] privateData);

	/**
	 * Tell the CM of an asynchronous event of a queue pair; stands for
	 * {@code rdma_notify}.
	 * @param id the CM id
	 * @param asyncEventType the event, in practice COMM_EST
	 * @throws RdmaException on EISCONN when the id is established already, EINVAL in
	 * another state or for another event; never on iWARP, where nothing happens
	 */
	void rdmaNotify(long id, int asyncEventType);

	/**
	 * Disconnect and move the queue pair to the error state; stands for
	 * {@code rdma_disconnect}. Returns at once.
	 * @param id the CM id
	 * @throws RdmaException on EINVAL when never connected, on InfiniBand and RoCE with
	 * the queue pair in the error state all the same; ENXIO after device removal
	 */
	void rdmaDisconnect(long id);

	/**
	 * Create a shared receive queue on an id; stands for {@code rdma_create_srq}.
	 * @param id the CM id, bound to a device
	 * @param pd the protection domain
	 * @param maxWr how many receives it holds at most
	 * @param maxSge how many buffers a receive has at most
	 * @return the shared receive queue
	 * @throws RdmaException on EINVAL, ENOMEM
	 */
	long rdmaCreateSrq(long id, long pd, int maxWr, int maxSge);

	/**
	 * Destroy the shared receive queue of an id; stands for {@code rdma_destroy_srq}, but
	 * reports what {@code ibv_destroy_srq} returned.
	 * @param id the CM id, which must have a shared receive queue
	 * @throws RdmaException on EBUSY while a queue pair uses it
	 */
	void rdmaDestroySrq(long id);

	/**
	 * Return the attributes that take a queue pair which the caller manages to a state;
	 * stands for {@code rdma_init_qp_attr}.
	 * @param id the CM id
	 * @param state the state to go to
	 * @return the attributes with their mask
	 * @throws RdmaException on EINVAL in a wrong state
	 */
	QueuePairAttributes rdmaInitQpAttr(long id, QueuePairState state);

	/**
	 * Set the enhanced connection establishment options to offer; stands for
	 * {@code rdma_set_local_ece}.
	 * @param id the CM id, without a queue pair
	 * @param ece the options
	 * @throws RdmaException on EINVAL with a queue pair or without a vendor, ENOSYS when
	 * the library has no such function
	 */
	void rdmaSetLocalEce(long id, ConnectionEce ece);

	/**
	 * Return the enhanced connection establishment options of the peer; stands for
	 * {@code rdma_get_remote_ece}.
	 * @param id the CM id, without a queue pair
	 * @return the options
	 * @throws RdmaException on EINVAL, ENOSYS when the library has no such function
	 */
	ConnectionEce rdmaGetRemoteEce(long id);

	/**
	 * Reject a connection request because of its enhanced connection establishment
	 * options; stands for {@code rdma_reject_ece}.
	 * @param id the CM id that the request brought
	 * @param privateData the reason for the peer
	 * @throws RdmaException on EINVAL, ENOSYS when the library has no such function
	 */
	void rdmaRejectEce(long id, byte[] privateData);

}
