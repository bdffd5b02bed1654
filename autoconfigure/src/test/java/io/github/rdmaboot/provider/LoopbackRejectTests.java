package io.github.rdmaboot.provider;

/**
 * Tests that the loopback keeps the {@link RejectContract}.
 */
class LoopbackRejectTests extends RejectContract {

	LoopbackRejectTests() {
		super(new LoopbackTransport());
	}

}
