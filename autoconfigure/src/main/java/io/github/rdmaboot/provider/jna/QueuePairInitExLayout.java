package io.github.rdmaboot.provider.jna;

/**
 * How to create a queue pair with more options; begins like the plain form.
 */
@CStruct("struct ibv_qp_init_attr_ex")
final class QueuePairInitExLayout {

	static final int SIZE = 136;

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

	@CField(value = "comp_mask", size = 4)
	static final int COMP_MASK = 60;

	@CField(value = "pd", size = 8)
	static final int PD = 64;

	@CField(value = "create_flags", size = 4)
	static final int CREATE_FLAGS = 80;

	private QueuePairInitExLayout() {
	}

}
