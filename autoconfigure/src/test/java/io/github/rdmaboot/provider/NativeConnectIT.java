package io.github.rdmaboot.provider;

/**
 * Tests that the kernel keeps the {@link ConnectContract}.
 */
class NativeConnectIT extends ConnectContract {

	NativeConnectIT() {
		super(new NativeTransport());
	}

}
