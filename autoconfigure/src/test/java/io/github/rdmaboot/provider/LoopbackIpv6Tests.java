package io.github.rdmaboot.provider;

/**
 * Tests that the loopback keeps the {@link Ipv6Contract}.
 */
class LoopbackIpv6Tests extends Ipv6Contract {

	LoopbackIpv6Tests() {
		super(new LoopbackTransport());
	}

}
