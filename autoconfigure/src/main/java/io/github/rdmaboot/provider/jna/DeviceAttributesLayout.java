package io.github.rdmaboot.provider.jna;

/**
 * Limits of a device.
 */
@CStruct("struct ibv_device_attr")
final class DeviceAttributesLayout {

	static final int SIZE = 232;

	@CField(value = "fw_ver", size = 64)
	static final int FIRMWARE_VERSION = 0;

	@CField(value = "node_guid", size = 8)
	static final int NODE_GUID = 64;

	@CField(value = "max_mr_size", size = 8)
	static final int MAX_MR_SIZE = 80;

	@CField(value = "vendor_id", size = 4)
	static final int VENDOR_ID = 96;

	@CField(value = "vendor_part_id", size = 4)
	static final int VENDOR_PART_ID = 100;

	@CField(value = "hw_ver", size = 4)
	static final int HARDWARE_VERSION = 104;

	@CField(value = "max_qp", size = 4)
	static final int MAX_QP = 108;

	@CField(value = "max_qp_wr", size = 4)
	static final int MAX_QP_WR = 112;

	@CField(value = "max_sge", size = 4)
	static final int MAX_SGE = 120;

	@CField(value = "max_cq", size = 4)
	static final int MAX_CQ = 128;

	@CField(value = "max_cqe", size = 4)
	static final int MAX_CQE = 132;

	@CField(value = "max_mr", size = 4)
	static final int MAX_MR = 136;

	@CField(value = "max_pd", size = 4)
	static final int MAX_PD = 140;

	@CField(value = "max_qp_rd_atom", size = 4)
	static final int MAX_QP_RD_ATOM = 144;

	@CField(value = "max_qp_init_rd_atom", size = 4)
	static final int MAX_QP_INIT_RD_ATOM = 156;

	@CField(value = "atomic_cap", size = 4)
	static final int ATOMIC_CAPABILITY = 164;

	@CField(value = "max_mcast_grp", size = 4)
	static final int MAX_MULTICAST_GROUPS = 188;

	@CField(value = "max_ah", size = 4)
	static final int MAX_AH = 200;

	@CField(value = "max_srq", size = 4)
	static final int MAX_SRQ = 212;

	@CField(value = "max_srq_wr", size = 4)
	static final int MAX_SRQ_WR = 216;

	@CField(value = "max_srq_sge", size = 4)
	static final int MAX_SRQ_SGE = 220;

	@CField(value = "phys_port_cnt", size = 1)
	static final int PHYSICAL_PORTS = 227;

	private DeviceAttributesLayout() {
	}

}
