package io.github.rdmaboot.provider;

import java.nio.ByteBuffer;

/**
 * The calls of libibverbs that reliable connected and unreliable datagram endpoints need;
 * here those for protection domains, memory and address handles. The destruction of an
 * object must not overlap with another call on it.
 */
public interface IbvCalls extends IbvDeviceCalls, IbvQueueCalls {

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

}
