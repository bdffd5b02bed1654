package io.github.rdmaboot.provider;

/**
 * Tests that the kernel keeps the {@link DestroyContract}.
 */
class NativeDestroyIT extends DestroyContract {

	NativeDestroyIT() {
		super(new NativeTransport());
	}

}
