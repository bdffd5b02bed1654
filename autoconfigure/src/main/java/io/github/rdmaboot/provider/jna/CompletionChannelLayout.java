package io.github.rdmaboot.provider.jna;

/**
 * A completion channel.
 */
@CStruct("struct ibv_comp_channel")
final class CompletionChannelLayout {

	static final int SIZE = 16;

	@CField(value = "fd", size = 4)
	static final int FD = 8;

	private CompletionChannelLayout() {
	}

}
