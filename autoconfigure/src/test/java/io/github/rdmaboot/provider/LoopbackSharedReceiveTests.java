package io.github.rdmaboot.provider;

/**
 * Tests that the loopback keeps the {@link SharedReceiveContract}.
 */
class LoopbackSharedReceiveTests extends SharedReceiveContract {

	LoopbackSharedReceiveTests() {
		super(new LoopbackTransport());
	}

}
