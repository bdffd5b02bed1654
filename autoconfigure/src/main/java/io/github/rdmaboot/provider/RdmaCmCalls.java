package io.github.rdmaboot.provider;

import java.net.InetSocketAddress;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The calls of librdmacm for asynchronous CM ids.
 * <p>
 * Synchronous ids ({@code rdma_get_request}, {@code rdma_create_ep}, a {@code NULL} event
 * channel) are left out on purpose: their calls block in native code without a limit and
 * cannot be interrupted. Event channels are created non-blocking.
 * <p>
 * Different ids may be used at the same time from different threads. Calls on one id must
 * not overlap with {@link #rdmaDestroyId}, {@link #rdmaMigrateId} or
 * {@link #rdmaDestroyQp} on the same id.
 */
public interface RdmaCmCalls {

	/**
	 * Create an event channel; stands for {@code rdma_create_event_channel}.
	 * @return the event channel
	 * @throws RdmaException on ENODEV without a device, ENOENT or EACCES when
	 * {@code /dev/infiniband/rdma_cm} is missing or not accessible, EMFILE, ENOMEM
	 */
	long rdmaCreateEventChannel();

	/**
	 * Destroy an event channel whose ids have all been destroyed and which no thread
	 * reads; stands for {@code rdma_destroy_event_channel}.
	 * @param channel the event channel
	 */
	void rdmaDestroyEventChannel(long channel);

	/**
	 * Create a CM id; stands for {@code rdma_create_id}.
	 * @param channel the event channel that reports the id's events
	 * @param portSpace the port space
	 * @return the CM id
	 * @throws RdmaException on EINVAL, ENODEV, ENOMEM
	 */
	long rdmaCreateId(long channel, PortSpace portSpace);

	/**
	 * Destroy a CM id; stands for {@code rdma_destroy_id}. Blocks, without a limit, until
	 * every event of the id that was fetched has been acknowledged. When the call fails
	 * nothing was freed.
	 * @param id the CM id
	 * @throws RdmaException on EBADF, ENOENT, EINVAL, EACCES when the caller's
	 * credentials changed since the channel was created
	 */
	void rdmaDestroyId(long id);

	/**
	 * Bind a CM id to a local address; stands for {@code rdma_bind_addr}.
	 * @param id the CM id
	 * @param address the local address; port 0 takes an ephemeral port
	 * @throws RdmaException on EADDRINUSE, EADDRNOTAVAIL, ENODEV, EACCES, EINVAL when
	 * bound already, EAFNOSUPPORT
	 */
	void rdmaBindAddr(long id, InetSocketAddress address);

	/**
	 * Begin to resolve a destination address; ends in {@code ADDR_RESOLVED} or
	 * {@code ADDR_ERROR}; stands for {@code rdma_resolve_addr}.
	 * @param id the CM id
	 * @param source the local address to bind to or {@code null} to take the route's
	 * @param destination the destination
	 * @param timeoutMillis the limit of the resolution in milliseconds
	 * @throws RdmaException on ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL, ENODEV, EINVAL
	 * in a wrong state; without a route an id that is bound to a device gets no error but
	 * looks for the address on the network behind the device
	 */
	void rdmaResolveAddr(long id, @Nullable InetSocketAddress source, InetSocketAddress destination, int timeoutMillis);

	/**
	 * Begin to resolve the route; ends in {@code ROUTE_RESOLVED} or {@code ROUTE_ERROR};
	 * stands for {@code rdma_resolve_route}. Crashes the process in C when the id is not
	 * bound to a device.
	 * @param id the CM id
	 * @param timeoutMillis the limit in milliseconds, from 1
	 * @throws RdmaException on EINVAL in a wrong state, ENXIO after device removal
	 */
	void rdmaResolveRoute(long id, int timeoutMillis);

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
	 * Fetch the next event of a channel without waiting; stands for
	 * {@code rdma_get_cm_event}. Must not overlap with the destruction of a queue pair
	 * whose id is connecting.
	 * @param channel the event channel
	 * @return a copy of the event, which must be acknowledged exactly once, or
	 * {@code null} when there is none (EAGAIN)
	 * @throws RdmaException on EBADF
	 */
	@Nullable CmEventData rdmaGetCmEvent(long channel);

	/**
	 * Acknowledge an event; stands for {@code rdma_ack_cm_event}.
	 * @param event the event's handle
	 */
	void rdmaAckCmEvent(long event);

	/**
	 * Return the local port; stands for {@code rdma_get_src_port}.
	 * @param id the CM id
	 * @return the port, 0 when not bound
	 */
	int rdmaGetSrcPort(long id);

	/**
	 * Return the peer's port; stands for {@code rdma_get_dst_port}.
	 * @param id the CM id
	 * @return the port, 0 when there is no peer
	 */
	int rdmaGetDstPort(long id);

	/**
	 * Return the local address; stands for {@code rdma_get_local_addr}.
	 * @param id the CM id
	 * @return the address or {@code null} when the id has none
	 */
	@Nullable InetSocketAddress rdmaGetLocalAddr(long id);

	/**
	 * Return the peer's address; stands for {@code rdma_get_peer_addr}.
	 * @param id the CM id
	 * @return the address or {@code null} when the id has none
	 */
	@Nullable InetSocketAddress rdmaGetPeerAddr(long id);

	/**
	 * Return the device context that an id is bound to: {@code id->verbs}.
	 * @param id the CM id
	 * @return the context, which must never be closed, or 0 when the id is not bound to a
	 * device
	 */
	long contextOf(long id);

	/**
	 * Return the port of the device that an id is bound to: {@code id->port_num}.
	 * @param id the CM id
	 * @return the port from 1, or 0 when the id is not bound to a device
	 */
	int portNumOf(long id);

	/**
	 * Return the devices that the CM opened; stands for {@code rdma_get_devices}.
	 * @return the contexts, to be given back by {@link #rdmaFreeDevices}
	 * @throws RdmaException on ENODEV, ENOMEM
	 */
	HandleList rdmaGetDevices();

	/**
	 * Give back a list of devices; stands for {@code rdma_free_devices}.
	 * @param devices the list
	 */
	void rdmaFreeDevices(HandleList devices);

	/**
	 * Return the C name of an event; stands for {@code rdma_event_str}.
	 * @param eventType the event's number
	 * @return the name or {@code UNKNOWN EVENT}
	 */
	String rdmaEventStr(int eventType);

	/**
	 * Set an option; stands for {@code rdma_set_option}.
	 * @param id the CM id
	 * @param option the option
	 * @param value the value: 0 to 255 for the type of service, 0 to 31 for the
	 * acknowledgement timeout (4.096 µs · 2^value), 0 or 1 otherwise
	 * @throws RdmaException on EINVAL for a wrong value or state, ENOSYS for an unknown
	 * option
	 */
	void rdmaSetOption(long id, CmIdOption option, int value);

	/**
	 * Move an id to another event channel; stands for {@code rdma_migrate_id}. Blocks,
	 * without a limit, until every event of the id that was fetched has been
	 * acknowledged.
	 * @param id the CM id
	 * @param channel the new event channel
	 * @throws RdmaException on EINVAL, EBADF
	 */
	void rdmaMigrateId(long id, long channel);

	/**
	 * Translate names to addresses; stands for {@code rdma_getaddrinfo} and
	 * {@code rdma_freeaddrinfo}. May block in the name service.
	 * @param node the host or {@code null}
	 * @param service the port or {@code null}
	 * @param flags the {@code RAI_*} flags
	 * @param portSpace the port space
	 * @return the addresses in the order of preference
	 * @throws RdmaException on ENODEV without a device; the text names an {@code EAI_*}
	 * code
	 */
	List<AddressInfo> rdmaGetaddrinfo(@Nullable String node, @Nullable String service, int flags, PortSpace portSpace);

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
	 * Begin to join a multicast group; ends in {@code MULTICAST_JOIN} or
	 * {@code MULTICAST_ERROR}; stands for {@code rdma_join_multicast}.
	 * @param id the CM id of a datagram port space, bound to a device
	 * @param group the group's address
	 * @throws RdmaException on EINVAL, ENOMEM
	 */
	void rdmaJoinMulticast(long id, InetSocketAddress group);

	/**
	 * Begin to join a multicast group; stands for {@code rdma_join_multicast_ex}.
	 * @param id the CM id of a datagram port space, bound to a device
	 * @param group the group's address
	 * @param sendOnly whether to join as a sender only
	 * @throws RdmaException on EINVAL, ENOMEM, EOPNOTSUPP
	 */
	void rdmaJoinMulticastEx(long id, InetSocketAddress group, boolean sendOnly);

	/**
	 * Leave a multicast group; stands for {@code rdma_leave_multicast}. Blocks until the
	 * group's events have been acknowledged.
	 * @param id the CM id
	 * @param group the group's address
	 * @throws RdmaException on EADDRNOTAVAIL when not joined
	 */
	void rdmaLeaveMulticast(long id, InetSocketAddress group);

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
