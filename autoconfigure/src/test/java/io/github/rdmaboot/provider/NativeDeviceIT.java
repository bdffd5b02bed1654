package io.github.rdmaboot.provider;

/**
 * Tests that the kernel keeps the {@link DeviceContract}.
 */
class NativeDeviceIT extends DeviceContract {

	NativeDeviceIT() {
		super(new NativeTransport());
	}

}
