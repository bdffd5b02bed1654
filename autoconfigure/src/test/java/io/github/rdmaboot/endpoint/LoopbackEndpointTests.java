package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.net.UnknownHostException;

import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.BeforeEach;

/**
 * The endpoint contract on the loopback provider.
 */
class LoopbackEndpointTests extends EndpointContract {

	private final LoopbackFabric fabric = new LoopbackFabric();

	@BeforeEach
	void addHosts() throws UnknownHostException {
		this.fabric.addAddress(InetAddress.getByName(localAddress()));
		InetAddress silent = InetAddress.getByName(silentAddress());
		this.fabric.addAddress(silent);
		this.fabric.faults().silence(silent);
	}

	@Override
	RdmaProvider openProvider() {
		return new LoopbackRdmaProvider(this.fabric);
	}

	@Override
	String localAddress() {
		return "192.0.2.1";
	}

	@Override
	String silentAddress() {
		return "198.51.100.77";
	}

	@Override
	String foreignAddress() {
		return "203.0.113.9";
	}

	@Override
	String nativeObjects() {
		return this.fabric.resources().toString();
	}

}
