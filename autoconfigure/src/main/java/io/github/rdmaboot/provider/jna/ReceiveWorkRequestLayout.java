package io.github.rdmaboot.provider.jna;

/**
 * A receive request.
 */
@CStruct("struct ibv_recv_wr")
final class ReceiveWorkRequestLayout {

	static final int SIZE = 32;

	@CField(value = "wr_id", size = 8)
	static final int WR_ID = 0;

	@CField(value = "next", size = 8)
	static final int NEXT = 8;

	@CField(value = "sg_list", size = 8)
	static final int SG_LIST = 16;

	@CField(value = "num_sge", size = 4)
	static final int NUM_SGE = 24;

	private ReceiveWorkRequestLayout() {
	}

}
