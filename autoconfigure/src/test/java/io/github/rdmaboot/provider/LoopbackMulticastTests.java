package io.github.rdmaboot.provider;

/**
 * Tests that the loopback keeps the {@link MulticastContract}.
 */
class LoopbackMulticastTests extends MulticastContract {

	LoopbackMulticastTests() {
		super(new LoopbackTransport());
	}

}
