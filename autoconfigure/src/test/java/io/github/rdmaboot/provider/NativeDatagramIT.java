package io.github.rdmaboot.provider;

/**
 * Tests that the kernel keeps the {@link DatagramContract}.
 */
class NativeDatagramIT extends DatagramContract {

	NativeDatagramIT() {
		super(new NativeTransport());
	}

}
