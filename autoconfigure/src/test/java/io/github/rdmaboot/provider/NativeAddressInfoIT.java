package io.github.rdmaboot.provider;

/**
 * Tests that the kernel keeps the {@link AddressInfoContract}.
 */
class NativeAddressInfoIT extends AddressInfoContract {

	NativeAddressInfoIT() {
		super(new NativeTransport());
	}

}
