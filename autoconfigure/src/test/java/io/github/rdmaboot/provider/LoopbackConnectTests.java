package io.github.rdmaboot.provider;

/**
 * Tests that the loopback keeps the {@link ConnectContract}.
 */
class LoopbackConnectTests extends ConnectContract {

	LoopbackConnectTests() {
		super(new LoopbackTransport());
	}

}
