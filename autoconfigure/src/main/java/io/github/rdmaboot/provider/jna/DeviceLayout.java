package io.github.rdmaboot.provider.jna;

/**
 * A device as the list has it.
 */
@CStruct("struct ibv_device")
final class DeviceLayout {

	@CField(value = "transport_type", size = 4)
	static final int TRANSPORT_TYPE = 20;

	private DeviceLayout() {
	}

}
