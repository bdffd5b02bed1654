package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;

/**
 * Messages in fragments on librdmacm and the kernel.
 */
class NativeFragmentIT extends FragmentContract {

	@Override
	RdmaProvider openProvider() {
		return JnaRdmaProvider.open();
	}

}
