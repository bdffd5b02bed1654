package io.github.rdmaboot.provider;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;

import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;

/**
 * Runs the contract suite on a loopback fabric of its own.
 */
final class LoopbackTransport implements ContractTransport {

	private static final int SCOPE = 3;

	private final LoopbackFabric fabric = new LoopbackFabric();

	LoopbackTransport() {
		this.fabric.addAddress(address());
		this.fabric.addAddress(ipv6Address());
		this.fabric.addAddress(linkLocalAddress());
	}

	LoopbackFabric fabric() {
		return this.fabric;
	}

	@Override
	public RdmaProvider open() {
		return new LoopbackRdmaProvider(this.fabric);
	}

	@Override
	public InetAddress address() {
		return of("192.0.2.1");
	}

	@Override
	public InetAddress ipv6Address() {
		return of("2001:db8::1");
	}

	@Override
	public Inet6Address linkLocalAddress() {
		try {
			return Inet6Address.getByAddress(null, of("fe80::1").getAddress(), SCOPE);
		}
		catch (UnknownHostException ex) {
			throw new IllegalStateException("An address of IPv6 has 16 bytes", ex);
		}
	}

	@Override
	public InetAddress withoutRoute() {
		return of("203.0.113.9");
	}

	@Override
	public int silenceMillis() {
		return 5;
	}

	@Override
	public TransportRules rules() {
		return new LoopbackRules();
	}

	static InetAddress of(String address) {
		try {
			return InetAddress.getByName(address);
		}
		catch (UnknownHostException ex) {
			throw new IllegalArgumentException(address + " is not an address", ex);
		}
	}

}
