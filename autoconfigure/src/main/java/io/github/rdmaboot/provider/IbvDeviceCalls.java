package io.github.rdmaboot.provider;

import org.jspecify.annotations.Nullable;

/**
 * The calls of libibverbs for devices and their ports, for what happens to them, and for
 * the library as a whole.
 */
public interface IbvDeviceCalls {

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
	 * Return the transport that a device speaks: {@code device->transport_type}.
	 * @param device the device
	 * @return the number of a {@link TransportType}, or another one of a newer library
	 */
	int transportTypeOf(long device);

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
