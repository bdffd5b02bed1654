package io.github.rdmaboot.provider;

/**
 * Tests that the kernel keeps the {@link RemoteMemoryContract}.
 */
class NativeRemoteMemoryIT extends RemoteMemoryContract {

	NativeRemoteMemoryIT() {
		super(new NativeTransport());
	}

}
