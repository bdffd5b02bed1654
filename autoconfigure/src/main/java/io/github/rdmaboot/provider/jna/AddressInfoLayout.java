package io.github.rdmaboot.provider.jna;

/**
 * A translated name.
 */
@CStruct("struct rdma_addrinfo")
final class AddressInfoLayout {

	static final int SIZE = 96;

	@CField(value = "ai_flags", size = 4)
	static final int FLAGS = 0;

	@CField(value = "ai_family", size = 4)
	static final int FAMILY = 4;

	@CField(value = "ai_qp_type", size = 4)
	static final int QP_TYPE = 8;

	@CField(value = "ai_port_space", size = 4)
	static final int PORT_SPACE = 12;

	@CField(value = "ai_src_len", size = 4)
	static final int SOURCE_LENGTH = 16;

	@CField(value = "ai_dst_len", size = 4)
	static final int DESTINATION_LENGTH = 20;

	@CField(value = "ai_src_addr", size = 8)
	static final int SOURCE_ADDRESS = 24;

	@CField(value = "ai_dst_addr", size = 8)
	static final int DESTINATION_ADDRESS = 32;

	@CField(value = "ai_next", size = 8)
	static final int NEXT = 88;

	private AddressInfoLayout() {
	}

}
