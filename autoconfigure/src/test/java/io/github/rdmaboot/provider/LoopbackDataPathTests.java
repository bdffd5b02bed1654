package io.github.rdmaboot.provider;

/**
 * Tests that the loopback keeps the {@link DataPathContract}.
 */
class LoopbackDataPathTests extends DataPathContract {

	LoopbackDataPathTests() {
		super(new LoopbackTransport());
	}

}
