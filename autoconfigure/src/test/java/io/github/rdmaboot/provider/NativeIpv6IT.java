package io.github.rdmaboot.provider;

/**
 * Tests that the kernel keeps the {@link Ipv6Contract}.
 */
class NativeIpv6IT extends Ipv6Contract {

	NativeIpv6IT() {
		super(new NativeTransport());
	}

}
