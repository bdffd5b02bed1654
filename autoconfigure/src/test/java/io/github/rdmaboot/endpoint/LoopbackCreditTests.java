package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;

/**
 * Credits on the loopback provider.
 */
class LoopbackCreditTests extends CreditContract {

	private final LoopbackFabric fabric = LoopbackFabrics.with("192.0.2.1");

	@Override
	RdmaProvider openProvider() {
		return new LoopbackRdmaProvider(this.fabric);
	}

}
