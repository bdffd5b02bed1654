package io.github.rdmaboot.provider;

/**
 * Tests that the loopback keeps the {@link WakerContract}.
 */
class LoopbackWakerTests extends WakerContract {

	LoopbackWakerTests() {
		super(new LoopbackTransport());
	}

}
