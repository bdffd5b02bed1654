package io.github.rdmaboot.provider.jna;

/**
 * Attributes of a queue pair.
 */
@CStruct("struct ibv_qp_attr")
final class QueuePairAttributesLayout {

	static final int SIZE = 144;

	@CField(value = "qp_state", size = 4)
	static final int STATE = 0;

	@CField(value = "cur_qp_state", size = 4)
	static final int CURRENT_STATE = 4;

	@CField(value = "path_mtu", size = 4)
	static final int PATH_MTU = 8;

	@CField(value = "qkey", size = 4)
	static final int QKEY = 16;

	@CField(value = "rq_psn", size = 4)
	static final int RECEIVE_PSN = 20;

	@CField(value = "sq_psn", size = 4)
	static final int SEND_PSN = 24;

	@CField(value = "dest_qp_num", size = 4)
	static final int DESTINATION_QP_NUM = 28;

	@CField(value = "qp_access_flags", size = 4)
	static final int ACCESS_FLAGS = 32;

	@CField(value = "cap", size = 20)
	static final int CAPABILITIES = 36;

	@CField(value = "ah_attr", size = 32)
	static final int ADDRESS = 56;

	@CField(value = "pkey_index", size = 2)
	static final int PKEY_INDEX = 120;

	@CField(value = "max_rd_atomic", size = 1)
	static final int MAX_RD_ATOMIC = 126;

	@CField(value = "max_dest_rd_atomic", size = 1)
	static final int MAX_DEST_RD_ATOMIC = 127;

	@CField(value = "min_rnr_timer", size = 1)
	static final int MIN_RNR_TIMER = 128;

	@CField(value = "port_num", size = 1)
	static final int PORT_NUM = 129;

	@CField(value = "timeout", size = 1)
	static final int TIMEOUT = 130;

	@CField(value = "retry_cnt", size = 1)
	static final int RETRY_COUNT = 131;

	@CField(value = "rnr_retry", size = 1)
	static final int RNR_RETRY = 132;

	private QueuePairAttributesLayout() {
	}

}
