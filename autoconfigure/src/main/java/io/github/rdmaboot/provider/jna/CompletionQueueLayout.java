package io.github.rdmaboot.provider.jna;

/**
 * A completion queue; nothing behind its mutex is touched.
 */
@CStruct("struct ibv_cq")
final class CompletionQueueLayout {

	@CField(value = "context", size = 8)
	static final int CONTEXT = 0;

	private CompletionQueueLayout() {
	}

}
