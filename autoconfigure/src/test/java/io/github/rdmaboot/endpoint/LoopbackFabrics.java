package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.net.UnknownHostException;

import io.github.rdmaboot.provider.loopback.LoopbackFabric;

/**
 * Fabrics of the loopback for tests.
 */
final class LoopbackFabrics {

	private LoopbackFabrics() {
	}

	static LoopbackFabric with(String address) {
		LoopbackFabric fabric = new LoopbackFabric();
		try {
			fabric.addAddress(InetAddress.getByName(address));
		}
		catch (UnknownHostException ex) {
			throw new IllegalStateException(ex);
		}
		return fabric;
	}

}
