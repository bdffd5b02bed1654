package io.github.rdmaboot.provider.jna;

/**
 * Options of enhanced connection establishment.
 */
@CStruct("struct ibv_ece")
final class EceLayout {

	static final int SIZE = 12;

	@CField(value = "vendor_id", size = 4)
	static final int VENDOR_ID = 0;

	@CField(value = "options", size = 4)
	static final int OPTIONS = 4;

	@CField(value = "comp_mask", size = 4)
	static final int COMP_MASK = 8;

	private EceLayout() {
	}

}
