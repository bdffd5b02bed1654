package io.github.rdmaboot.provider;

/**
 * Tests that the loopback keeps the {@link DestroyContract}.
 */
class LoopbackDestroyTests extends DestroyContract {

	LoopbackDestroyTests() {
		super(new LoopbackTransport());
	}

}
