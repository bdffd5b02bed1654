package io.github.rdmaboot.provider.jna;

/**
 * An asynchronous event.
 */
@CStruct("struct ibv_async_event")
final class AsyncEventLayout {

	static final int SIZE = 16;

	@CField(value = "element.cq", size = 8)
	static final int ELEMENT = 0;

	@CField(value = "element.port_num", size = 4)
	static final int PORT_NUM = 0;

	@CField(value = "event_type", size = 4)
	static final int EVENT_TYPE = 8;

	private AsyncEventLayout() {
	}

}
