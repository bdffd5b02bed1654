package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;

/**
 * The completion modes on librdmacm and the kernel.
 */
class NativeCompletionModeIT extends CompletionModeContract {

	@Override
	RdmaProvider openProvider() {
		return JnaRdmaProvider.open();
	}

	@Override
	String localAddress() {
		return "192.0.2.1";
	}

}
