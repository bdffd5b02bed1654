package io.github.rdmaboot.provider.jna;

/**
 * A queue pair; nothing behind its mutex is touched.
 */
@CStruct("struct ibv_qp")
final class QueuePairLayout {

	@CField(value = "context", size = 8)
	static final int CONTEXT = 0;

	@CField(value = "qp_num", size = 4)
	static final int QP_NUM = 52;

	private QueuePairLayout() {
	}

}
