package io.github.rdmaboot.provider.jna;

/**
 * A CM event. The library allocates it inside a larger object, so it is only ever read in
 * place.
 */
@CStruct("struct rdma_cm_event")
final class CmEventLayout {

	static final int SIZE = 80;

	@CField(value = "id", size = 8)
	static final int ID = 0;

	@CField(value = "listen_id", size = 8)
	static final int LISTEN_ID = 8;

	@CField(value = "event", size = 4)
	static final int EVENT = 16;

	@CField(value = "status", size = 4)
	static final int STATUS = 20;

	@CField(value = "param.conn.private_data", size = 8)
	static final int CONN_PRIVATE_DATA = 24;

	@CField(value = "param.conn.private_data_len", size = 1)
	static final int CONN_PRIVATE_DATA_LENGTH = 32;

	@CField(value = "param.conn.responder_resources", size = 1)
	static final int CONN_RESPONDER_RESOURCES = 33;

	@CField(value = "param.conn.initiator_depth", size = 1)
	static final int CONN_INITIATOR_DEPTH = 34;

	@CField(value = "param.conn.qp_num", size = 4)
	static final int CONN_QP_NUM = 40;

	@CField(value = "param.ud.private_data", size = 8)
	static final int UD_PRIVATE_DATA = 24;

	@CField(value = "param.ud.private_data_len", size = 1)
	static final int UD_PRIVATE_DATA_LENGTH = 32;

	@CField(value = "param.ud.ah_attr", size = 32)
	static final int UD_AH_ATTR = 40;

	@CField(value = "param.ud.qp_num", size = 4)
	static final int UD_QP_NUM = 72;

	@CField(value = "param.ud.qkey", size = 4)
	static final int UD_QKEY = 76;

	private CmEventLayout() {
	}

}
