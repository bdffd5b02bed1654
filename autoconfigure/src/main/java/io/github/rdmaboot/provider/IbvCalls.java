package io.github.rdmaboot.provider;

import java.nio.ByteBuffer;

import org.jspecify.annotations.Nullable;

/**
 * The calls of libibverbs that reliable connected and unreliable datagram endpoints need.
 * <p>
 * Posting to one queue pair and polling one completion queue from several threads is
 * allowed. The destruction of an object must not overlap with another call on it.
 */
public interface IbvCalls {

	/**
	 * List the devices; stands for {@code ibv_get_device_list}.
	 * @return the devices, to be given back by {@link #ibvFreeDeviceList}
	 * @throws RdmaException on ENOSYS when the kernel has no RDMA support
	 */
	HandleList ibvGetDeviceList();

	/**
	 * Give back a list of devices; stands for {@code ibv_free_device_list}.
	 * @param devices the list
	 */
	void ibvFreeDeviceList(HandleList devices);

	/**
	 * Return a device's name; stands for {@code ibv_get_device_name}.
	 * @param device the device
	 * @return the name, {@code rxe0} for instance
	 */
	String ibvGetDeviceName(long device);

	/**
	 * Return a device's GUID; stands for {@code ibv_get_device_guid}.
	 * @param device the device
	 * @return the GUID in host order
	 */
	long ibvGetDeviceGuid(long device);

	/**
	 * Return a device's stable index; stands for {@code ibv_get_device_index}.
	 * @param device the device
	 * @return the index or -1 when the kernel does not tell
	 */
	int ibvGetDeviceIndex(long device);

	/**
	 * Return the device of a context: {@code context->device}.
	 * @param context the device context
	 * @return the device
	 */
	long deviceOf(long context);

	/**
	 * Open a device; stands for {@code ibv_open_device}.
	 * @param device the device
	 * @return the device context
	 * @throws RdmaException on EACCES, EMFILE, ENODEV
	 */
	long ibvOpenDevice(long device);

	/**
	 * Close a device context that the caller opened; stands for {@code ibv_close_device}.
	 * @param context the device context, never one that {@link RdmaCmCalls#contextOf}
	 * returned
	 */
	void ibvCloseDevice(long context);

	/**
	 * Return a device's limits; stands for {@code ibv_query_device}.
	 * @param context the device context
	 * @return the limits
	 * @throws RdmaException on EIO
	 */
	DeviceAttributes ibvQueryDevice(long context);

	/**
	 * Return the state of a port; stands for {@code ibv_query_port}.
	 * @param context the device context
	 * @param port the port from 1
	 * @return the port's state
	 * @throws RdmaException on EINVAL
	 */
	PortAttributes ibvQueryPort(long context, int port);

	/**
	 * Return an entry of a port's GID table; stands for {@code ibv_query_gid}.
	 * @param context the device context
	 * @param port the port from 1
	 * @param index the index from 0
	 * @return the 16 bytes of the GID
	 * @throws RdmaException on EINVAL, ENODATA for an empty entry
	 */
	byte[] ibvQueryGid(long context, int port, int index);

	/**
	 * Return an entry of a port's partition key table; stands for {@code ibv_query_pkey}.
	 * @param context the device context
	 * @param port the port from 1
	 * @param index the index from 0
	 * @return the partition key, 0 to 65535
	 * @throws RdmaException on EINVAL
	 */
	int ibvQueryPkey(long context, int port, int index);

	/**
	 * Allocate a protection domain; stands for {@code ibv_alloc_pd}.
	 * @param context the device context
	 * @return the protection domain
	 * @throws RdmaException on ENOMEM
	 */
	long ibvAllocPd(long context);

	/**
	 * Deallocate a protection domain; stands for {@code ibv_dealloc_pd}.
	 * @param pd the protection domain
	 * @throws RdmaException on EBUSY while a queue pair, memory region, shared receive
	 * queue or address handle uses it
	 */
	void ibvDeallocPd(long pd);

	/**
	 * Register memory; stands for {@code ibv_reg_mr} and {@code ibv_reg_mr_iova2}.
	 * @param pd the protection domain
	 * @param memory a direct buffer, registered from its position to its limit; it must
	 * stay reachable until the region is deregistered
	 * @param accessFlags a union of {@link AccessFlag} masks
	 * @return the memory region
	 * @throws RdmaException on ENOMEM or EPERM when the memlock limit is too low, EINVAL
	 * for wrong flags
	 */
	MemoryRegionData ibvRegMr(long pd, ByteBuffer memory, int accessFlags);

	/**
	 * Deregister memory; stands for {@code ibv_dereg_mr}.
	 * @param mr the memory region's handle
	 * @throws RdmaException on EBUSY, EIO
	 */
	void ibvDeregMr(long mr);

	/**
	 * Create a non-blocking completion channel; stands for
	 * {@code ibv_create_comp_channel}.
	 * @param context the device context
	 * @return the completion channel
	 * @throws RdmaException on EMFILE, ENOMEM
	 */
	long ibvCreateCompChannel(long context);

	/**
	 * Destroy a completion channel that no thread waits on; stands for
	 * {@code ibv_destroy_comp_channel}.
	 * @param completionChannel the completion channel
	 * @throws RdmaException on EBUSY while a completion queue uses it
	 */
	void ibvDestroyCompChannel(long completionChannel);

	/**
	 * Create a completion queue; stands for {@code ibv_create_cq}.
	 * @param context the device context
	 * @param entries how many completions it holds at least
	 * @param completionChannel the completion channel or 0
	 * @param completionVector the completion vector from 0
	 * @return the completion queue
	 * @throws RdmaException on EINVAL, ENOMEM
	 */
	long ibvCreateCq(long context, int entries, long completionChannel, int completionVector);

	/**
	 * Destroy a completion queue; stands for {@code ibv_destroy_cq}. Blocks, without a
	 * limit, until exactly the events that were fetched have been acknowledged.
	 * @param cq the completion queue
	 * @throws RdmaException on EBUSY while a queue pair uses it
	 */
	void ibvDestroyCq(long cq);

	/**
	 * Fetch the next event of a completion channel without waiting; stands for
	 * {@code ibv_get_cq_event}.
	 * @param completionChannel the completion channel
	 * @return the completion queue that has completions, whose event must be
	 * acknowledged, or 0 when there is none (EAGAIN)
	 * @throws RdmaException on EIO when the device is gone
	 */
	long ibvGetCqEvent(long completionChannel);

	/**
	 * Acknowledge events; stands for {@code ibv_ack_cq_events}.
	 * @param cq the completion queue
	 * @param events how many; never more than were fetched
	 */
	void ibvAckCqEvents(long cq, int events);

	/**
	 * Ask for an event at the next completion; stands for {@code ibv_req_notify_cq}.
	 * @param cq the completion queue
	 * @param solicitedOnly whether only solicited completions count
	 * @throws RdmaException on EIO
	 */
	void ibvReqNotifyCq(long cq, boolean solicitedOnly);

	/**
	 * Take completions; stands for {@code ibv_poll_cq}.
	 * @param cq the completion queue
	 * @param completions the objects to fill, from the first
	 * @return how many were filled
	 * @throws RdmaException on EIO for a broken completion queue
	 */
	int ibvPollCq(long cq, WorkCompletion[] completions);

	/**
	 * Create a queue pair that the caller manages; stands for {@code ibv_create_qp}.
	 * @param pd the protection domain
	 * @param init how to create it
	 * @return the queue pair with the capabilities that it really got
	 * @throws RdmaException on EINVAL, ENOMEM
	 */
	CreatedQueuePair ibvCreateQp(long pd, QueuePairInit init);

	/**
	 * Change a queue pair; stands for {@code ibv_modify_qp}.
	 * @param qp the queue pair
	 * @param attributes the attributes with their mask
	 * @throws RdmaException on EINVAL for an illegal transition, EIO
	 */
	void ibvModifyQp(long qp, QueuePairAttributes attributes);

	/**
	 * Return the attributes of a queue pair; stands for {@code ibv_query_qp}.
	 * @param qp the queue pair
	 * @param mask which attributes, a union of the {@link QueuePairAttributes} masks
	 * @return the attributes
	 * @throws RdmaException on EINVAL, EIO
	 */
	QueuePairAttributes ibvQueryQp(long qp, int mask);

	/**
	 * Destroy a queue pair that the caller manages; stands for {@code ibv_destroy_qp}.
	 * May block until its asynchronous events have been acknowledged.
	 * @param qp the queue pair
	 * @throws RdmaException on EBUSY while attached to a multicast group, EIO
	 */
	void ibvDestroyQp(long qp);

	/**
	 * Post a list of sends; stands for {@code ibv_post_send}. Neither allocates nor
	 * locks.
	 * @param qp the queue pair
	 * @param first the first request; the others hang on {@link SendWorkRequest#next}
	 * @return 0 when all were posted, otherwise the errno: ENOMEM when the queue is full,
	 * EINVAL in a wrong state or for wrong buffers or flags;
	 * {@link SendWorkRequest#posted} tells which ones were posted
	 */
	int ibvPostSend(long qp, SendWorkRequest first);

	/**
	 * Post a list of receives; stands for {@code ibv_post_recv}. Neither allocates nor
	 * locks.
	 * @param qp the queue pair
	 * @param first the first request; the others hang on {@link ReceiveWorkRequest#next}
	 * @return 0 when all were posted, otherwise the errno: ENOMEM, EINVAL;
	 * {@link ReceiveWorkRequest#posted} tells which ones were posted
	 */
	int ibvPostRecv(long qp, ReceiveWorkRequest first);

	/**
	 * Post a list of receives to a shared receive queue; stands for
	 * {@code ibv_post_srq_recv}. Neither allocates nor locks.
	 * @param srq the shared receive queue
	 * @param first the first request
	 * @return 0 when all were posted, otherwise the errno: ENOMEM, EINVAL
	 */
	int ibvPostSrqRecv(long srq, ReceiveWorkRequest first);

	/**
	 * Create a shared receive queue that belongs to no id; stands for
	 * {@code ibv_create_srq}.
	 * @param pd the protection domain
	 * @param maxWr how many receives it holds at least
	 * @param maxSge how many buffers a receive has at most
	 * @return the shared receive queue
	 * @throws RdmaException on EINVAL, ENOMEM
	 */
	long ibvCreateSrq(long pd, int maxWr, int maxSge);

	/**
	 * Destroy a shared receive queue that belongs to no id; stands for
	 * {@code ibv_destroy_srq}.
	 * @param srq the shared receive queue
	 * @throws RdmaException on EBUSY while a queue pair uses it
	 */
	void ibvDestroySrq(long srq);

	/**
	 * Fetch the next asynchronous event of a device without waiting; stands for
	 * {@code ibv_get_async_event}.
	 * @param context the device context, made non-blocking by the first call
	 * @return the event, which must be acknowledged exactly once, or {@code null} when
	 * there is none (EAGAIN)
	 * @throws RdmaException on EIO, EBADF
	 */
	@Nullable AsyncEventData ibvGetAsyncEvent(long context);

	/**
	 * Acknowledge an asynchronous event; stands for {@code ibv_ack_async_event}.
	 * @param event the event's handle
	 */
	void ibvAckAsyncEvent(long event);

	/**
	 * Create an address handle; stands for {@code ibv_create_ah}.
	 * @param pd the protection domain
	 * @param attributes the address
	 * @return the address handle
	 * @throws RdmaException on EINVAL, EHOSTUNREACH
	 */
	long ibvCreateAh(long pd, AddressHandleAttributes attributes);

	/**
	 * Create an address handle that answers a received datagram; stands for
	 * {@code ibv_create_ah_from_wc}.
	 * @param pd the protection domain
	 * @param completion the completion of the receive
	 * @param grh a direct buffer whose position is at the 40 bytes of the global routing
	 * header
	 * @param port the port from 1
	 * @return the address handle
	 * @throws RdmaException on EINVAL
	 */
	long ibvCreateAhFromWc(long pd, WorkCompletion completion, ByteBuffer grh, int port);

	/**
	 * Destroy an address handle; stands for {@code ibv_destroy_ah}.
	 * @param ah the address handle
	 * @throws RdmaException on EIO
	 */
	void ibvDestroyAh(long ah);

	/**
	 * Attach a datagram queue pair to a multicast group; stands for
	 * {@code ibv_attach_mcast}.
	 * @param qp the queue pair
	 * @param gid the 16 bytes of the group's GID
	 * @param lid the group's LID, 0 on Ethernet
	 * @throws RdmaException on EINVAL
	 */
	void ibvAttachMcast(long qp, byte[] gid, int lid);

	/**
	 * Detach a datagram queue pair from a multicast group; stands for
	 * {@code ibv_detach_mcast}.
	 * @param qp the queue pair
	 * @param gid the 16 bytes of the group's GID
	 * @param lid the group's LID, 0 on Ethernet
	 * @throws RdmaException on EINVAL
	 */
	void ibvDetachMcast(long qp, byte[] gid, int lid);

	/**
	 * Prepare registered memory for {@code fork}; stands for {@code ibv_fork_init}.
	 * @throws RdmaException on EINVAL when memory has been registered already, ENOSYS
	 */
	void ibvForkInit();

	/**
	 * Tell how registered memory fares in {@code fork}; stands for
	 * {@code ibv_is_fork_initialized}.
	 * @return the state
	 * @throws RdmaException on ENOSYS when the library has no such function
	 */
	ForkStatus ibvIsForkInitialized();

	/**
	 * Return the text of a completion status; stands for {@code ibv_wc_status_str}.
	 * @param status the status' number
	 * @return the text
	 */
	String ibvWcStatusStr(int status);

	/**
	 * Return the text of an asynchronous event; stands for {@code ibv_event_type_str}.
	 * @param eventType the event's number
	 * @return the text
	 */
	String ibvEventTypeStr(int eventType);

	/**
	 * Return the text of a port state; stands for {@code ibv_port_state_str}.
	 * @param state the state's number
	 * @return the text
	 */
	String ibvPortStateStr(int state);

	/**
	 * Return the text of a node type; stands for {@code ibv_node_type_str}.
	 * @param nodeType the node type's number
	 * @return the text
	 */
	String ibvNodeTypeStr(int nodeType);

}
