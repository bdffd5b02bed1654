package io.github.rdmaboot.provider;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;

import io.github.rdmaboot.provider.jna.JnaRdmaProvider;

/**
 * Runs the contract suite on the RDMA device that has the address in the system property
 * {@code rdma.test.address}, 192.0.2.1 by default, and the IPv6 address in
 * {@code rdma.test.ipv6-address}, 2001:db8::1 by default.
 */
public final class NativeTransport implements ContractTransport {

	private static final boolean IWARP = hasIwarpDevice();

	private final InetAddress address = LoopbackTransport.of(System.getProperty("rdma.test.address", "192.0.2.1"));

	private final InetAddress ipv6Address = LoopbackTransport
		.of(System.getProperty("rdma.test.ipv6-address", "2001:db8::1"));

	@Override
	public RdmaProvider open() {
		return JnaRdmaProvider.open();
	}

	@Override
	public InetAddress address() {
		return this.address;
	}

	@Override
	public InetAddress ipv6Address() {
		return this.ipv6Address;
	}

	@Override
	public Inet6Address linkLocalAddress() {
		try {
			return NetworkInterface.getByInetAddress(this.address)
				.inetAddresses()
				.filter(InetAddress::isLinkLocalAddress)
				.filter(Inet6Address.class::isInstance)
				.map(Inet6Address.class::cast)
				.findFirst()
				.orElseThrow(() -> new IllegalStateException("no address of the link beside " + this.address));
		}
		catch (SocketException ex) {
			throw new IllegalStateException("the addresses beside " + this.address + " cannot be read", ex);
		}
	}

	@Override
	public InetAddress withoutRoute() {
		return LoopbackTransport.of("203.0.113.9");
	}

	@Override
	public int silenceMillis() {
		return 150;
	}

	@Override
	public TransportRules rules() {
		return rulesOfThisHost();
	}

	/**
	 * Return where the RDMA devices of this host differ from others.
	 * @return their rules
	 */
	public static TransportRules rulesOfThisHost() {
		return IWARP ? new SoftIwarpRules() : new TransportRules() {
		};
	}

	private static boolean hasIwarpDevice() {
		try (RdmaProvider provider = JnaRdmaProvider.open()) {
			return provider.describeDevices().stream().anyMatch((device) -> device.nodeType().contains("RNIC"));
		}
	}

}
