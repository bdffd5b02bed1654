package io.github.rdmaboot.provider;

/**
 * Tests that the loopback keeps the {@link RemoteMemoryContract}.
 */
class LoopbackRemoteMemoryTests extends RemoteMemoryContract {

	LoopbackRemoteMemoryTests() {
		super(new LoopbackTransport());
	}

}
