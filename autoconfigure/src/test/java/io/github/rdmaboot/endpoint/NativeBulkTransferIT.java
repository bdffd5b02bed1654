package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;

/**
 * Transfers of much data on librdmacm and the kernel.
 */
class NativeBulkTransferIT extends BulkTransferContract {

	@Override
	RdmaProvider openProvider() {
		return JnaRdmaProvider.open();
	}

}
