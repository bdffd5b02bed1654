package io.github.rdmaboot.provider.jna;

/**
 * Sizes of a queue pair.
 */
@CStruct("struct ibv_qp_cap")
final class CapabilitiesLayout {

	static final int SIZE = 20;

	@CField(value = "max_send_wr", size = 4)
	static final int MAX_SEND_WR = 0;

	@CField(value = "max_recv_wr", size = 4)
	static final int MAX_RECV_WR = 4;

	@CField(value = "max_send_sge", size = 4)
	static final int MAX_SEND_SGE = 8;

	@CField(value = "max_recv_sge", size = 4)
	static final int MAX_RECV_SGE = 12;

	@CField(value = "max_inline_data", size = 4)
	static final int MAX_INLINE_DATA = 16;

	private CapabilitiesLayout() {
	}

}
