package io.github.rdmaboot.provider.loopback;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * Ports in use on a fabric, by port space. Guarded by the fabric's lock.
 */
final class PortTable {

	private static final int FIRST_EPHEMERAL = 32768;

	private static final int LAST_EPHEMERAL = 60999;

	private final Map<PortSpace, Map<Integer, List<LoopbackCmId>>> owners = new EnumMap<>(PortSpace.class);

	private int nextEphemeral = FIRST_EPHEMERAL;

	/**
	 * Take a port for an id.
	 * @param id the id
	 * @param address the address to bind; port 0 takes an ephemeral one
	 * @return the address with the port that was taken
	 */
	InetSocketAddress take(LoopbackCmId id, InetSocketAddress address) {
		Map<Integer, List<LoopbackCmId>> ports = this.owners.computeIfAbsent(id.portSpace(), (key) -> new HashMap<>());
		int port = address.getPort();
		if (port == 0) {
			port = ephemeral(ports);
		}
		else {
			check("rdma_bind_addr", id, address.getAddress(), ports.get(port), id.reuseAddress);
		}
		ports.computeIfAbsent(port, (key) -> new ArrayList<>(1)).add(id);
		return new InetSocketAddress(address.getAddress(), port);
	}

	/**
	 * Check that an id may listen: here a shared port counts as taken.
	 * @param id the bound id
	 * @param local its address
	 */
	void checkListen(LoopbackCmId id, InetSocketAddress local) {
		Map<Integer, List<LoopbackCmId>> ports = this.owners.getOrDefault(id.portSpace(), Map.of());
		if (id.reuseAddress) {
			check("rdma_listen", id, local.getAddress(), ports.get(local.getPort()), false);
		}
	}

	void release(LoopbackCmId id, InetSocketAddress local) {
		Map<Integer, List<LoopbackCmId>> ports = this.owners.getOrDefault(id.portSpace(), Map.of());
		List<LoopbackCmId> sharing = ports.get(local.getPort());
		if (sharing != null && sharing.remove(id) && sharing.isEmpty()) {
			ports.remove(local.getPort());
		}
	}

	@Nullable LoopbackCmId listener(PortSpace portSpace, InetSocketAddress destination) {
		List<LoopbackCmId> candidates = this.owners.getOrDefault(portSpace, Map.of()).get(destination.getPort());
		if (candidates == null) {
			return null;
		}
		for (LoopbackCmId candidate : candidates) {
			if (candidate.state == LoopbackCmId.State.LISTEN && hears(candidate, destination.getAddress())) {
				return candidate;
			}
		}
		return null;
	}

	boolean hasListener(PortSpace portSpace, int port) {
		List<LoopbackCmId> candidates = this.owners.getOrDefault(portSpace, Map.of()).get(port);
		return candidates != null
				&& candidates.stream().anyMatch((candidate) -> candidate.state == LoopbackCmId.State.LISTEN);
	}

	int size() {
		return this.owners.values().stream().mapToInt(Map::size).sum();
	}

	private int ephemeral(Map<Integer, List<LoopbackCmId>> ports) {
		for (int tried = FIRST_EPHEMERAL; tried <= LAST_EPHEMERAL; tried++) {
			int port = this.nextEphemeral;
			this.nextEphemeral = (port == LAST_EPHEMERAL) ? FIRST_EPHEMERAL : port + 1;
			if (!ports.containsKey(port)) {
				return port;
			}
		}
		throw new RdmaException("rdma_bind_addr", Errno.EADDRNOTAVAIL.value());
	}

	private static void check(String call, LoopbackCmId id, InetAddress address, @Nullable List<LoopbackCmId> sharing,
			boolean reuse) {
		if (sharing == null) {
			return;
		}
		for (LoopbackCmId other : sharing) {
			InetSocketAddress taken = other.local;
			if (other == id || taken == null || (reuse && other.reuseAddress)) {
				continue;
			}
			InetAddress otherAddress = taken.getAddress();
			if (id.addressFamilyOnly && other.addressFamilyOnly && isIpv4(address) != isIpv4(otherAddress)) {
				continue;
			}
			// The kernel counts 127.0.0.1 and ::1 among the wildcards here.
			if (isWildcard(address) || isWildcard(otherAddress)) {
				throw new RdmaException(call, Errno.EADDRNOTAVAIL.value());
			}
			if (FabricAddresses.withoutScope(address).equals(FabricAddresses.withoutScope(otherAddress))) {
				throw new RdmaException(call, Errno.EADDRINUSE.value());
			}
		}
	}

	private static boolean hears(LoopbackCmId listener, InetAddress destination) {
		InetSocketAddress local = listener.local;
		if (local == null) {
			return false;
		}
		InetAddress address = local.getAddress();
		if (!address.isAnyLocalAddress()) {
			return FabricAddresses.withoutScope(address).equals(FabricAddresses.withoutScope(destination));
		}
		return isIpv4(address) == isIpv4(destination) || (isIpv4(destination) && !listener.addressFamilyOnly);
	}

	private static boolean isIpv4(InetAddress address) {
		return address instanceof Inet4Address;
	}

	private static boolean isWildcard(InetAddress address) {
		return address.isAnyLocalAddress() || address.isLoopbackAddress();
	}

}
