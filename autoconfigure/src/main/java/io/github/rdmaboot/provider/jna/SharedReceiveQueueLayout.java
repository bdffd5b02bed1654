package io.github.rdmaboot.provider.jna;

/**
 * A shared receive queue; nothing behind its mutex is touched.
 */
@CStruct("struct ibv_srq")
final class SharedReceiveQueueLayout {

	@CField(value = "context", size = 8)
	static final int CONTEXT = 0;

	private SharedReceiveQueueLayout() {
	}

}
