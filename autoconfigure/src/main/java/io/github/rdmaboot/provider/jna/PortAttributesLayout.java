package io.github.rdmaboot.provider.jna;

/**
 * State of a port. It grew at its end in rdma-core 49, so it has no fixed size; the
 * exported call fills the first 48 bytes.
 */
@CStruct("struct ibv_port_attr")
final class PortAttributesLayout {

	@CField(value = "state", size = 4)
	static final int STATE = 0;

	@CField(value = "max_mtu", size = 4)
	static final int MAX_MTU = 4;

	@CField(value = "active_mtu", size = 4)
	static final int ACTIVE_MTU = 8;

	@CField(value = "gid_tbl_len", size = 4)
	static final int GID_TABLE_LENGTH = 12;

	@CField(value = "max_msg_sz", size = 4)
	static final int MAX_MESSAGE_SIZE = 20;

	@CField(value = "pkey_tbl_len", size = 2)
	static final int PKEY_TABLE_LENGTH = 32;

	@CField(value = "lid", size = 2)
	static final int LID = 34;

	@CField(value = "sm_lid", size = 2)
	static final int SUBNET_MANAGER_LID = 36;

	@CField(value = "active_width", size = 1)
	static final int ACTIVE_WIDTH = 43;

	@CField(value = "active_speed", size = 1)
	static final int ACTIVE_SPEED = 44;

	@CField(value = "phys_state", size = 1)
	static final int PHYSICAL_STATE = 45;

	@CField(value = "link_layer", size = 1)
	static final int LINK_LAYER = 46;

	private PortAttributesLayout() {
	}

}
