package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;

/**
 * Messages in fragments on the loopback provider.
 */
class LoopbackFragmentTests extends FragmentContract {

	private final LoopbackFabric fabric = LoopbackFabrics.with("192.0.2.1");

	@Override
	RdmaProvider openProvider() {
		return new LoopbackRdmaProvider(this.fabric);
	}

}
