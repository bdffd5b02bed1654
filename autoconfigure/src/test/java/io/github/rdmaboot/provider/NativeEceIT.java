package io.github.rdmaboot.provider;

/**
 * Tests that the kernel keeps the {@link EceContract}.
 */
class NativeEceIT extends EceContract {

	NativeEceIT() {
		super(new NativeTransport());
	}

}
