package io.github.rdmaboot.provider.jna;

/**
 * A buffer of a work request.
 */
@CStruct("struct ibv_sge")
final class ScatterGatherLayout {

	static final int SIZE = 16;

	@CField(value = "addr", size = 8)
	static final int ADDRESS = 0;

	@CField(value = "length", size = 4)
	static final int LENGTH = 8;

	@CField(value = "lkey", size = 4)
	static final int LKEY = 12;

	private ScatterGatherLayout() {
	}

}
