package io.github.rdmaboot.autoconfigure;

import java.net.InetAddress;
import java.net.UnknownHostException;

import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.BeforeEach;

/**
 * The contract of an application that stops, on the loopback provider.
 */
class LoopbackShutdownDrainTests extends ShutdownDrainContract {

	private final LoopbackFabric fabric = new LoopbackFabric();

	@BeforeEach
	void addHost() throws UnknownHostException {
		this.fabric.addAddress(InetAddress.getByName(ADDRESS));
	}

	@Override
	RdmaProvider openProvider() {
		return new LoopbackRdmaProvider(this.fabric);
	}

}
