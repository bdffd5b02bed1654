package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;
import io.github.rdmaboot.provider.jna.KernelObjects;

/**
 * The datagram contract on librdmacm and the kernel.
 */
class NativeDatagramEndpointIT extends DatagramEndpointContract {

	@Override
	RdmaProvider openProvider() {
		return JnaRdmaProvider.open();
	}

	@Override
	String localAddress() {
		return "192.0.2.1";
	}

	@Override
	String foreignAddress() {
		return "203.0.113.9";
	}

	@Override
	String nativeObjects() {
		return KernelObjects.counts();
	}

	@Override
	int rounds() {
		return 10;
	}

}
