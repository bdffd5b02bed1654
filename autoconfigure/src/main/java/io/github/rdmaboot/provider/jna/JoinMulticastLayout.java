package io.github.rdmaboot.provider.jna;

/**
 * How to join a multicast group.
 */
@CStruct("struct rdma_cm_join_mc_attr_ex")
final class JoinMulticastLayout {

	static final int SIZE = 16;

	@CField(value = "comp_mask", size = 4)
	static final int COMP_MASK = 0;

	@CField(value = "join_flags", size = 4)
	static final int JOIN_FLAGS = 4;

	@CField(value = "addr", size = 8)
	static final int ADDRESS = 8;

	private JoinMulticastLayout() {
	}

}
