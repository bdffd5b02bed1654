package io.github.rdmaboot.provider;

/**
 * Tests that the loopback keeps the {@link EceContract}.
 */
class LoopbackEceTests extends EceContract {

	LoopbackEceTests() {
		super(new LoopbackTransport());
	}

}
