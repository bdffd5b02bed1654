package io.github.rdmaboot.autoconfigure;

import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;

/**
 * The contract of an application that stops, on librdmacm and the kernel.
 */
class NativeShutdownDrainIT extends ShutdownDrainContract {

	@Override
	RdmaProvider openProvider() {
		return JnaRdmaProvider.open();
	}

}
