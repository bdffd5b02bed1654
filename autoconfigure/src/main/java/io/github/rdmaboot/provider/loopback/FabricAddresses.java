package io.github.rdmaboot.provider.loopback;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Addresses that a fabric knows: those of this host, read again when one is not known,
 * and those that were added. Guarded by the fabric's lock.
 */
final class FabricAddresses {

	private static final Logger logger = LoggerFactory.getLogger(FabricAddresses.class);

	private static final int PREFIX_OF_ADDED_IPV4 = 24;

	private static final int PREFIX_OF_ADDED_IPV6 = 64;

	private final Map<InetAddress, Integer> prefixes = new LinkedHashMap<>();

	private boolean hostRead;

	void add(InetAddress address) {
		this.prefixes.put(withoutScope(address),
				(address instanceof Inet4Address) ? PREFIX_OF_ADDED_IPV4 : PREFIX_OF_ADDED_IPV6);
	}

	/**
	 * Tell whether an address can be bound to and reached.
	 * @param address the address
	 * @return whether it is one of this host or an added one
	 */
	boolean isKnown(InetAddress address) {
		if (address.isLoopbackAddress()) {
			return true;
		}
		InetAddress sought = withoutScope(address);
		if (!this.prefixes.containsKey(sought)) {
			readHost();
		}
		return this.prefixes.containsKey(sought);
	}

	/**
	 * Tell whether an address would be looked for on a network of this host.
	 * @param address the address
	 * @return whether a known address has the same prefix
	 */
	boolean isOnLink(InetAddress address) {
		return this.prefixes.entrySet()
			.stream()
			.anyMatch((known) -> !known.getKey().isLoopbackAddress()
					&& samePrefix(known.getKey().getAddress(), address.getAddress(), known.getValue()));
	}

	/**
	 * Return the source address that the routing table would choose.
	 * @param destination a known address
	 * @return the address itself: it is local
	 */
	InetAddress sourceFor(InetAddress destination) {
		return withoutScope(destination);
	}

	List<InetAddress> all() {
		if (!this.hostRead) {
			readHost();
		}
		return new ArrayList<>(this.prefixes.keySet());
	}

	static InetAddress withoutScope(InetAddress address) {
		if (!(address instanceof Inet6Address)) {
			return address;
		}
		try {
			return InetAddress.getByAddress(address.getAddress());
		}
		catch (UnknownHostException ex) {
			throw new IllegalStateException("An address has a length of its own", ex);
		}
	}

	private void readHost() {
		this.hostRead = true;
		try {
			for (NetworkInterface candidate : Collections.list(NetworkInterface.getNetworkInterfaces())) {
				for (InterfaceAddress address : candidate.getInterfaceAddresses()) {
					this.prefixes.putIfAbsent(withoutScope(address.getAddress()),
							(int) address.getNetworkPrefixLength());
				}
			}
		}
		catch (SocketException ex) {
			logger.warn("The addresses of this host cannot be read: only loopback and added addresses are known", ex);
		}
	}

	private static boolean samePrefix(byte[] left, byte[] right, int bits) {
		if (left.length != right.length) {
			return false;
		}
		for (int bit = 0; bit < bits; bit++) {
			int mask = 0x80 >> (bit % 8);
			if (((left[bit / 8] ^ right[bit / 8]) & mask) != 0) {
				return false;
			}
		}
		return true;
	}

}
