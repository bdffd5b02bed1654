package io.github.rdmaboot.cm;

import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;
import io.github.rdmaboot.provider.jna.KernelObjects;

/**
 * The contract of destroying CM ids on librdmacm and the kernel.
 */
class NativeCmIdDestroyIT extends CmIdDestroyContract {

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
