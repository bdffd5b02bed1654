package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.IwarpFabrics;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;

/**
 * Headers of messages on a device without immediate data.
 */
class LoopbackIwarpMessageHeaderTests extends MessageHeaderContract {

	private final LoopbackFabric fabric = IwarpFabrics.like(LoopbackFabrics.with("192.0.2.1"));

	@Override
	RdmaProvider openProvider() {
		return new LoopbackRdmaProvider(this.fabric);
	}

	@Override
	boolean hasImmediateData() {
		return false;
	}

}
