package io.github.rdmaboot.provider.jna;

/**
 * A send request.
 */
@CStruct("struct ibv_send_wr")
final class SendWorkRequestLayout {

	static final int SIZE = 128;

	@CField(value = "wr_id", size = 8)
	static final int WR_ID = 0;

	@CField(value = "next", size = 8)
	static final int NEXT = 8;

	@CField(value = "sg_list", size = 8)
	static final int SG_LIST = 16;

	@CField(value = "num_sge", size = 4)
	static final int NUM_SGE = 24;

	@CField(value = "opcode", size = 4)
	static final int OPCODE = 28;

	@CField(value = "send_flags", size = 4)
	static final int SEND_FLAGS = 32;

	@CField(value = "imm_data", size = 4)
	static final int IMM_DATA = 36;

	@CField(value = "wr.rdma.remote_addr", size = 8)
	static final int RDMA_REMOTE_ADDRESS = 40;

	@CField(value = "wr.rdma.rkey", size = 4)
	static final int RDMA_RKEY = 48;

	@CField(value = "wr.atomic.remote_addr", size = 8)
	static final int ATOMIC_REMOTE_ADDRESS = 40;

	@CField(value = "wr.atomic.compare_add", size = 8)
	static final int ATOMIC_COMPARE_ADD = 48;

	@CField(value = "wr.atomic.swap", size = 8)
	static final int ATOMIC_SWAP = 56;

	@CField(value = "wr.atomic.rkey", size = 4)
	static final int ATOMIC_RKEY = 64;

	@CField(value = "wr.ud.ah", size = 8)
	static final int UD_AH = 40;

	@CField(value = "wr.ud.remote_qpn", size = 4)
	static final int UD_REMOTE_QP_NUM = 48;

	@CField(value = "wr.ud.remote_qkey", size = 4)
	static final int UD_REMOTE_QKEY = 52;

	private SendWorkRequestLayout() {
	}

}
