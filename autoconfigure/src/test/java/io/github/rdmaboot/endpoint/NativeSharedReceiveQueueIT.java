package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;
import io.github.rdmaboot.provider.jna.KernelObjects;

/**
 * The shared receive queue on librdmacm and the kernel.
 */
class NativeSharedReceiveQueueIT extends SharedReceiveQueueContract {

	@Override
	RdmaProvider openProvider() {
		return JnaRdmaProvider.open();
	}

	@Override
	String nativeObjects() {
		return KernelObjects.counts();
	}

	@Override
	int many() {
		return Integer.getInteger("rdma.test.idle-clients", 50);
	}

}
