package io.github.rdmaboot.provider;

/**
 * Tests that the kernel keeps the {@link RejectContract}.
 */
class NativeRejectIT extends RejectContract {

	NativeRejectIT() {
		super(new NativeTransport());
	}

}
