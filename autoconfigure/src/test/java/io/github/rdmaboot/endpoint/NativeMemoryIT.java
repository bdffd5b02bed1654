package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;
import io.github.rdmaboot.provider.jna.KernelObjects;

/**
 * The memory of connections on librdmacm and the kernel.
 */
class NativeMemoryIT extends ConnectionMemoryContract {

	@Override
	RdmaProvider openProvider() {
		return JnaRdmaProvider.open();
	}

	@Override
	String localAddress() {
		return "192.0.2.1";
	}

	@Override
	String nativeObjects() {
		return KernelObjects.counts();
	}

}
