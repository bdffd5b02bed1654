package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;

/**
 * The contract of operations that fail on librdmacm and the kernel.
 */
class NativeOperationFailureIT extends OperationFailureContract {

	@Override
	RdmaProvider openProvider() {
		return JnaRdmaProvider.open();
	}

}
