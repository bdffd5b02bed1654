package io.github.rdmaboot.provider;

/**
 * Tests that the kernel keeps the {@link DisconnectContract}.
 */
class NativeDisconnectIT extends DisconnectContract {

	NativeDisconnectIT() {
		super(new NativeTransport());
	}

}
