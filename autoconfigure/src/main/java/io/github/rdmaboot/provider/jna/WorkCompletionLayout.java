package io.github.rdmaboot.provider.jna;

/**
 * A completion.
 */
@CStruct("struct ibv_wc")
final class WorkCompletionLayout {

	static final int SIZE = 48;

	@CField(value = "wr_id", size = 8)
	static final int WR_ID = 0;

	@CField(value = "status", size = 4)
	static final int STATUS = 8;

	@CField(value = "opcode", size = 4)
	static final int OPCODE = 12;

	@CField(value = "vendor_err", size = 4)
	static final int VENDOR_ERROR = 16;

	@CField(value = "byte_len", size = 4)
	static final int BYTE_LENGTH = 20;

	@CField(value = "imm_data", size = 4)
	static final int IMM_DATA = 24;

	@CField(value = "qp_num", size = 4)
	static final int QP_NUM = 28;

	@CField(value = "src_qp", size = 4)
	static final int SOURCE_QP = 32;

	@CField(value = "wc_flags", size = 4)
	static final int FLAGS = 36;

	@CField(value = "pkey_index", size = 2)
	static final int PKEY_INDEX = 40;

	@CField(value = "slid", size = 2)
	static final int SOURCE_LID = 42;

	@CField(value = "sl", size = 1)
	static final int SERVICE_LEVEL = 44;

	@CField(value = "dlid_path_bits", size = 1)
	static final int DESTINATION_PATH_BITS = 45;

	private WorkCompletionLayout() {
	}

}
