package io.github.rdmaboot.provider.jna;

/**
 * Address of a datagram peer or of a path.
 */
@CStruct("struct ibv_ah_attr")
final class AddressHandleLayout {

	static final int SIZE = 32;

	@CField(value = "grh.dgid", size = 16)
	static final int DGID = 0;

	@CField(value = "grh.flow_label", size = 4)
	static final int FLOW_LABEL = 16;

	@CField(value = "grh.sgid_index", size = 1)
	static final int SGID_INDEX = 20;

	@CField(value = "grh.hop_limit", size = 1)
	static final int HOP_LIMIT = 21;

	@CField(value = "grh.traffic_class", size = 1)
	static final int TRAFFIC_CLASS = 22;

	@CField(value = "dlid", size = 2)
	static final int DLID = 24;

	@CField(value = "sl", size = 1)
	static final int SERVICE_LEVEL = 26;

	@CField(value = "src_path_bits", size = 1)
	static final int SOURCE_PATH_BITS = 27;

	@CField(value = "static_rate", size = 1)
	static final int STATIC_RATE = 28;

	@CField(value = "is_global", size = 1)
	static final int IS_GLOBAL = 29;

	@CField(value = "port_num", size = 1)
	static final int PORT_NUM = 30;

	private AddressHandleLayout() {
	}

}
