package io.github.rdmaboot.provider;

import java.net.InetAddress;

import io.github.rdmaboot.provider.jna.JnaRdmaProvider;

/**
 * Runs the contract suite on the RDMA device that has the address in the system property
 * {@code rdma.test.address}, 192.0.2.1 by default.
 */
final class NativeTransport implements ContractTransport {

	private final InetAddress address = LoopbackTransport.of(System.getProperty("rdma.test.address", "192.0.2.1"));

	@Override
	public RdmaProvider open() {
		return JnaRdmaProvider.open();
	}

	@Override
	public InetAddress address() {
		return this.address;
	}

	@Override
	public InetAddress withoutRoute() {
		return LoopbackTransport.of("203.0.113.9");
	}

	@Override
	public int silenceMillis() {
		return 150;
	}

}
