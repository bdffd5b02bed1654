package io.github.rdmaboot.provider;

/**
 * Tests that the kernel keeps the {@link ConnectLimitContract}.
 */
class NativeConnectLimitIT extends ConnectLimitContract {

	NativeConnectLimitIT() {
		super(new NativeTransport());
	}

}
