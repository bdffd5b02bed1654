package io.github.rdmaboot.provider.jna;

/**
 * Parameters of a connection.
 */
@CStruct("struct rdma_conn_param")
final class ConnectionParametersLayout {

	static final int SIZE = 24;

	@CField(value = "private_data", size = 8)
	static final int PRIVATE_DATA = 0;

	@CField(value = "private_data_len", size = 1)
	static final int PRIVATE_DATA_LENGTH = 8;

	@CField(value = "responder_resources", size = 1)
	static final int RESPONDER_RESOURCES = 9;

	@CField(value = "initiator_depth", size = 1)
	static final int INITIATOR_DEPTH = 10;

	@CField(value = "flow_control", size = 1)
	static final int FLOW_CONTROL = 11;

	@CField(value = "retry_count", size = 1)
	static final int RETRY_COUNT = 12;

	@CField(value = "rnr_retry_count", size = 1)
	static final int RNR_RETRY_COUNT = 13;

	@CField(value = "srq", size = 1)
	static final int SRQ = 14;

	@CField(value = "qp_num", size = 4)
	static final int QP_NUM = 16;

	private ConnectionParametersLayout() {
	}

}
