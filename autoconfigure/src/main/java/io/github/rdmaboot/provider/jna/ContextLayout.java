package io.github.rdmaboot.provider.jna;

/**
 * A device context. Its size differs between architectures, because a mutex does; nothing
 * behind the mutex is touched.
 */
@CStruct("struct ibv_context")
final class ContextLayout {

	@CField(value = "device", size = 8)
	static final int DEVICE = 0;

	@CField(value = "ops.poll_cq", size = 8)
	static final int POLL_CQ = 96;

	@CField(value = "ops.req_notify_cq", size = 8)
	static final int REQ_NOTIFY_CQ = 104;

	@CField(value = "ops.post_srq_recv", size = 8)
	static final int POST_SRQ_RECV = 168;

	@CField(value = "ops.post_send", size = 8)
	static final int POST_SEND = 208;

	@CField(value = "ops.post_recv", size = 8)
	static final int POST_RECV = 216;

	@CField(value = "cmd_fd", size = 4)
	static final int CMD_FD = 264;

	@CField(value = "async_fd", size = 4)
	static final int ASYNC_FD = 268;

	@CField(value = "num_comp_vectors", size = 4)
	static final int COMPLETION_VECTORS = 272;

	private ContextLayout() {
	}

}
