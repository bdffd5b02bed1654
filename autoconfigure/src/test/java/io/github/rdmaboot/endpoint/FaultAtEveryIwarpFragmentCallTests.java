package io.github.rdmaboot.endpoint;

import java.net.InetSocketAddress;

import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;

/**
 * The same where headers are in front of the content, for want of immediate data.
 */
class FaultAtEveryIwarpFragmentCallTests extends FaultAtEveryFragmentCallTests {

	@Override
	RdmaProvider openProvider() {
		LoopbackFabric fabric = LoopbackFabric.withoutImmediateData();
		fabric.addAddress(new InetSocketAddress("192.0.2.1", 0).getAddress());
		return new LoopbackRdmaProvider(fabric);
	}

}
