package io.github.rdmaboot.provider;

/**
 * Tests that the loopback keeps the {@link AsyncEventContract}.
 */
class LoopbackAsyncEventTests extends AsyncEventContract {

	LoopbackAsyncEventTests() {
		super(new LoopbackTransport());
	}

}
