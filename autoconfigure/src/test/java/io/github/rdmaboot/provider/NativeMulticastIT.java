package io.github.rdmaboot.provider;

/**
 * Tests that the kernel keeps the {@link MulticastContract}.
 */
class NativeMulticastIT extends MulticastContract {

	NativeMulticastIT() {
		super(new NativeTransport());
	}

}
