package io.github.rdmaboot.provider;

/**
 * Tests that the loopback keeps the {@link DatagramContract}.
 */
class LoopbackDatagramTests extends DatagramContract {

	LoopbackDatagramTests() {
		super(new LoopbackTransport());
	}

}
