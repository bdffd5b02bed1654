package io.github.rdmaboot.provider.jna;

/**
 * How to create a shared receive queue.
 */
@CStruct("struct ibv_srq_init_attr")
final class SharedReceiveQueueInitLayout {

	static final int SIZE = 24;

	@CField(value = "attr.max_wr", size = 4)
	static final int MAX_WR = 8;

	@CField(value = "attr.max_sge", size = 4)
	static final int MAX_SGE = 12;

	private SharedReceiveQueueInitLayout() {
	}

}
