package io.github.rdmaboot.provider;

/**
 * Tests that the kernel keeps the {@link DataPathContract}.
 */
class NativeDataPathIT extends DataPathContract {

	NativeDataPathIT() {
		super(new NativeTransport());
	}

}
