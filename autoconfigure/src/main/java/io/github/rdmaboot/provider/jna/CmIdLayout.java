package io.github.rdmaboot.provider.jna;

/**
 * A CM id. The library allocates it inside a larger object, so it is only ever read in
 * place.
 */
@CStruct("struct rdma_cm_id")
final class CmIdLayout {

	static final int SIZE = 416;

	@CField(value = "verbs", size = 8)
	static final int VERBS = 0;

	@CField(value = "channel", size = 8)
	static final int CHANNEL = 8;

	@CField(value = "qp", size = 8)
	static final int QP = 24;

	@CField(value = "route.addr.src_addr", size = 16)
	static final int SOURCE_ADDRESS = 32;

	@CField(value = "route.addr.dst_addr", size = 16)
	static final int DESTINATION_ADDRESS = 160;

	@CField(value = "port_num", size = 1)
	static final int PORT_NUM = 348;

	@CField(value = "srq", size = 8)
	static final int SRQ = 392;

	@CField(value = "pd", size = 8)
	static final int PD = 400;

	@CField(value = "qp_type", size = 4)
	static final int QP_TYPE = 408;

	private CmIdLayout() {
	}

}
