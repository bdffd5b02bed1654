package io.github.rdmaboot.provider.jna;

/**
 * A resource limit.
 */
@CStruct("struct rlimit")
final class ResourceLimitLayout {

	static final int SIZE = 16;

	@CField(value = "rlim_cur", size = 8)
	static final int CURRENT = 0;

	private ResourceLimitLayout() {
	}

}
