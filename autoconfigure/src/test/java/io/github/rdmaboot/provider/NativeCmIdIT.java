package io.github.rdmaboot.provider;

/**
 * Tests that the kernel keeps the {@link CmIdContract}.
 */
class NativeCmIdIT extends CmIdContract {

	NativeCmIdIT() {
		super(new NativeTransport());
	}

}
