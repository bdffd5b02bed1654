package io.github.rdmaboot.provider.jna;

/**
 * An event channel.
 */
@CStruct("struct rdma_event_channel")
final class EventChannelLayout {

	static final int SIZE = 4;

	@CField(value = "fd", size = 4)
	static final int FD = 0;

	private EventChannelLayout() {
	}

}
