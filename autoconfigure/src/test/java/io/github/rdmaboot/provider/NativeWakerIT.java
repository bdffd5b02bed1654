package io.github.rdmaboot.provider;

/**
 * Tests that the kernel keeps the {@link WakerContract}.
 */
class NativeWakerIT extends WakerContract {

	NativeWakerIT() {
		super(new NativeTransport());
	}

}
