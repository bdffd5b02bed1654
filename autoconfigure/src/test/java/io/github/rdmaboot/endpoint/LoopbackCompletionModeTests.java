package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.net.UnknownHostException;

import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;

/**
 * The completion modes on a loopback fabric.
 */
class LoopbackCompletionModeTests extends CompletionModeContract {

	private final LoopbackFabric fabric = new LoopbackFabric();

	LoopbackCompletionModeTests() throws UnknownHostException {
		this.fabric.addAddress(InetAddress.getByName(localAddress()));
	}

	@Override
	RdmaProvider openProvider() {
		return new LoopbackRdmaProvider(this.fabric);
	}

	@Override
	String localAddress() {
		return "192.0.2.1";
	}

}
