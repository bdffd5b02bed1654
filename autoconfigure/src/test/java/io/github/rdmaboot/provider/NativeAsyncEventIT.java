package io.github.rdmaboot.provider;

/**
 * Tests that the kernel keeps the {@link AsyncEventContract}.
 */
class NativeAsyncEventIT extends AsyncEventContract {

	NativeAsyncEventIT() {
		super(new NativeTransport());
	}

}
