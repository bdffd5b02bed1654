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
		return add(address, new LoopbackFabric());
	}

	// As on iWARP.
	static LoopbackFabric withoutImmediateData(String address) {
		return add(address, LoopbackFabric.withoutImmediateData());
	}

	private static LoopbackFabric add(String address, LoopbackFabric fabric) {
		try {
			fabric.addAddress(InetAddress.getByName(address));
		}
		catch (UnknownHostException ex) {
			throw new IllegalStateException(ex);
		}
		return fabric;
	}

}
