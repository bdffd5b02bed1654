package io.github.rdmaboot.provider.jna;

/**
 * How to create a queue pair.
 */
@CStruct("struct ibv_qp_init_attr")
final class QueuePairInitLayout {

	static final int SIZE = 64;

	@CField(value = "send_cq", size = 8)
	static final int SEND_CQ = 8;

	@CField(value = "recv_cq", size = 8)
	static final int RECV_CQ = 16;

	@CField(value = "srq", size = 8)
	static final int SRQ = 24;

	@CField(value = "cap", size = 20)
	static final int CAPABILITIES = 32;

	@CField(value = "qp_type", size = 4)
	static final int QP_TYPE = 52;

	@CField(value = "sq_sig_all", size = 4)
	static final int SIGNAL_ALL = 56;

	private QueuePairInitLayout() {
	}

}
