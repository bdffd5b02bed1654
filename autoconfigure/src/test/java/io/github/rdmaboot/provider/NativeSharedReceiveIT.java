package io.github.rdmaboot.provider;

/**
 * Tests that the kernel keeps the {@link SharedReceiveContract}.
 */
class NativeSharedReceiveIT extends SharedReceiveContract {

	NativeSharedReceiveIT() {
		super(new NativeTransport());
	}

}
