package io.github.rdmaboot.provider.jna;

/**
 * A memory region.
 */
@CStruct("struct ibv_mr")
final class MemoryRegionLayout {

	static final int SIZE = 48;

	@CField(value = "addr", size = 8)
	static final int ADDRESS = 16;

	@CField(value = "length", size = 8)
	static final int LENGTH = 24;

	@CField(value = "lkey", size = 4)
	static final int LKEY = 36;

	@CField(value = "rkey", size = 4)
	static final int RKEY = 40;

	private MemoryRegionLayout() {
	}

}
