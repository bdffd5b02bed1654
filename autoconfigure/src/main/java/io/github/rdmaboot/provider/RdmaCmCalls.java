package io.github.rdmaboot.provider;

import java.net.InetSocketAddress;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The calls of librdmacm for asynchronous CM ids; here those for ids, their addresses and
 * events, and multicast groups.
 * <p>
 * Synchronous ids ({@code rdma_get_request}, {@code rdma_create_ep}, a {@code NULL} event
 * channel) are left out on purpose: their calls block in native code without a limit and
 * cannot be interrupted. Event channels are created non-blocking.
 * <p>
 * Different ids may be used at the same time from different threads. Calls on one id must
 * not overlap with {@link #rdmaDestroyId}, {@link #rdmaMigrateId} or
 * {@link #rdmaDestroyQp} on the same id.
 */
public interface RdmaCmCalls extends RdmaCmConnectionCalls {

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
	 * Begin to join a multicast group; ends in {@code MULTICAST_JOIN} or
	 * {@code MULTICAST_ERROR}; stands for {@code rdma_join_multicast}.
	 * @param id the CM id of a datagram port space, bound to a device
	 * @param group the group's address
	 * @param context a number of the caller's, which the events of the group carry
	 * @throws RdmaException on EINVAL, ENOMEM
	 */
	void rdmaJoinMulticast(long id, InetSocketAddress group, long context);

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

}
