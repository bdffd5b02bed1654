package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;

/**
 * Credits on librdmacm and the kernel.
 */
class NativeCreditIT extends CreditContract {

	@Override
	RdmaProvider openProvider() {
		return JnaRdmaProvider.open();
	}

}
