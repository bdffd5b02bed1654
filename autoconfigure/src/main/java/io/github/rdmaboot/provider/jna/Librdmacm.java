package io.github.rdmaboot.provider.jna;

/**
 * The functions of librdmacm that every supported version exports, direct-mapped.
 * Pointers are {@code long}; small unsigned arguments are {@code int}, because some
 * architectures expect the caller to zero-extend them.
 */
final class Librdmacm {

	static final String LIBRARY = "librdmacm.so.1";

	private Librdmacm() {
	}

	static native long rdma_create_event_channel();

	static native void rdma_destroy_event_channel(long channel);

	static native int rdma_create_id(long channel, long idResult, long context, int portSpace);

	static native int rdma_destroy_id(long id);

	static native int rdma_bind_addr(long id, long address);

	static native int rdma_resolve_addr(long id, long source, long destination, int timeoutMillis);

	static native int rdma_resolve_route(long id, int timeoutMillis);

	static native int rdma_create_qp(long id, long pd, long initAttributes);

	static native int rdma_create_qp_ex(long id, long initAttributes);

	static native int rdma_connect(long id, long parameters);

	static native int rdma_establish(long id);

	static native int rdma_listen(long id, int backlog);

	static native int rdma_accept(long id, long parameters);

	static native int rdma_reject(long id, long privateData, int privateDataLength);

	static native int rdma_notify(long id, int event);

	static native int rdma_disconnect(long id);

	static native int rdma_get_cm_event(long channel, long eventResult);

	static native int rdma_ack_cm_event(long event);

	static native short rdma_get_src_port(long id);

	static native short rdma_get_dst_port(long id);

	static native long rdma_get_devices(long countResult);

	static native void rdma_free_devices(long list);

	static native long rdma_event_str(int event);

	static native int rdma_set_option(long id, int level, int name, long value, long length);

	static native int rdma_migrate_id(long id, long channel);

	static native int rdma_getaddrinfo(long node, long service, long hints, long infoResult);

	static native void rdma_freeaddrinfo(long info);

	static native int rdma_create_srq(long id, long pd, long initAttributes);

	static native int rdma_join_multicast(long id, long address, long context);

	static native int rdma_leave_multicast(long id, long address);

	static native int rdma_init_qp_attr(long id, long attributes, long maskResult);

}
