package io.github.rdmaboot.provider;

/**
 * Tests that the loopback keeps the {@link DeviceContract}.
 */
class LoopbackDeviceTests extends DeviceContract {

	LoopbackDeviceTests() {
		super(new LoopbackTransport());
	}

}
