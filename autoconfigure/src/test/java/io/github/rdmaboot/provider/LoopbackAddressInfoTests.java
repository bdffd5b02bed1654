package io.github.rdmaboot.provider;

/**
 * Tests that the loopback keeps the {@link AddressInfoContract}.
 */
class LoopbackAddressInfoTests extends AddressInfoContract {

	LoopbackAddressInfoTests() {
		super(new LoopbackTransport());
	}

}
