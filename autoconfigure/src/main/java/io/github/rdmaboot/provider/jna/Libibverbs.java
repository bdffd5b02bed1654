package io.github.rdmaboot.provider.jna;

/**
 * The functions of libibverbs that every supported version exports, direct-mapped.
 * Pointers are {@code long}; small unsigned arguments are {@code int}, because some
 * architectures expect the caller to zero-extend them.
 */
final class Libibverbs {

	static final String LIBRARY = "libibverbs.so.1";

	private Libibverbs() {
	}

	static native long ibv_get_device_list(long countResult);

	static native void ibv_free_device_list(long list);

	static native long ibv_get_device_name(long device);

	static native long ibv_get_device_guid(long device);

	static native int ibv_get_device_index(long device);

	static native long ibv_open_device(long device);

	static native int ibv_close_device(long context);

	static native int ibv_query_device(long context, long attributes);

	static native int ibv_query_port(long context, int port, long attributes);

	static native int ibv_query_gid(long context, int port, int index, long gid);

	static native int ibv_query_pkey(long context, int port, int index, long pkey);

	static native long ibv_alloc_pd(long context);

	static native int ibv_dealloc_pd(long pd);

	static native long ibv_reg_mr(long pd, long address, long length, int access);

	static native long ibv_reg_mr_iova2(long pd, long address, long length, long iova, int access);

	static native int ibv_dereg_mr(long mr);

	static native long ibv_create_comp_channel(long context);

	static native int ibv_destroy_comp_channel(long channel);

	static native long ibv_create_cq(long context, int entries, long cqContext, long channel, int vector);

	static native int ibv_destroy_cq(long cq);

	static native int ibv_get_cq_event(long channel, long cqResult, long cqContextResult);

	static native void ibv_ack_cq_events(long cq, int count);

	static native long ibv_create_qp(long pd, long initAttributes);

	static native int ibv_modify_qp(long qp, long attributes, int mask);

	static native int ibv_query_qp(long qp, long attributes, int mask, long initAttributes);

	static native int ibv_destroy_qp(long qp);

	static native long ibv_create_srq(long pd, long initAttributes);

	static native int ibv_destroy_srq(long srq);

	static native int ibv_get_async_event(long context, long event);

	static native void ibv_ack_async_event(long event);

	static native long ibv_create_ah(long pd, long attributes);

	static native long ibv_create_ah_from_wc(long pd, long completion, long grh, int port);

	static native int ibv_destroy_ah(long ah);

	static native int ibv_attach_mcast(long qp, long gid, int lid);

	static native int ibv_detach_mcast(long qp, long gid, int lid);

	static native int ibv_fork_init();

	static native long ibv_wc_status_str(int status);

	static native long ibv_event_type_str(int event);

	static native long ibv_port_state_str(int state);

	static native long ibv_node_type_str(int nodeType);

}
