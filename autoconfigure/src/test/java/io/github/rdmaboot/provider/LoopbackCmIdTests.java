package io.github.rdmaboot.provider;

/**
 * Tests that the loopback keeps the {@link CmIdContract}.
 */
class LoopbackCmIdTests extends CmIdContract {

	LoopbackCmIdTests() {
		super(new LoopbackTransport());
	}

}
