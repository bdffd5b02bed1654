package io.github.rdmaboot.provider.loopback;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.CmIdOption;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.loopback.LoopbackCmId.State;
import org.jspecify.annotations.Nullable;

/**
 * Binds ids to addresses and resolves their destinations. Its methods are called with the
 * fabric's lock held.
 */
final class CmAddressing {

	private static final int FIRST_UNPRIVILEGED_PORT = 1024;

	private static final int MAX_BACKLOG = 1024;

	private static final int MAX_TOS = 255;

	private static final int MAX_ACK_TIMEOUT = 31;

	private CmAddressing() {
	}

	static void bind(String call, LoopbackCmId id, InetSocketAddress address) {
		id.require(call, State.IDLE);
		InetAddress host = hostOf(call, address);
		LoopbackFabric fabric = id.process().fabric();
		boolean wildcard = host.isAnyLocalAddress() || host.isLoopbackAddress();
		if (isLinkLocalWithoutScope(host)) {
			throw new RdmaException(call, Errno.EINVAL.value());
		}
		if (!wildcard && !fabric.addresses().isKnown(host)) {
			throw new RdmaException(call, Errno.EADDRNOTAVAIL.value());
		}
		if (!wildcard && !fabric.isDevicePresent()) {
			throw new RdmaException(call, Errno.ENODEV.value());
		}
		if (address.getPort() > 0 && address.getPort() < FIRST_UNPRIVILEGED_PORT
				&& !"root".equals(System.getProperty("user.name"))) {
			throw new RdmaException(call, Errno.EACCES.value());
		}
		id.local = fabric.ports().take(id, address);
		id.state = State.ADDR_BOUND;
		if (!wildcard) {
			id.device = id.process().cmContext();
		}
	}

	static void listen(LoopbackCmId id, int backlog) {
		if (id.state == State.IDLE) {
			bind("rdma_listen", id, new InetSocketAddress(anyIpv4(), 0));
		}
		id.require("rdma_listen", State.ADDR_BOUND);
		InetSocketAddress local = id.local;
		if (local != null) {
			id.process().fabric().ports().checkListen(id, local);
		}
		id.backlog = (backlog <= 0 || backlog > MAX_BACKLOG) ? MAX_BACKLOG : backlog;
		id.addressUnreported = false;
		id.state = State.LISTEN;
	}

	static void resolve(LoopbackCmId id, @Nullable InetSocketAddress source, InetSocketAddress destination,
			int timeoutMillis) {
		String call = "rdma_resolve_addr";
		InetAddress target = hostOf(call, destination);
		if (id.state == State.IDLE) {
			bind(call, id, (source != null) ? source : new InetSocketAddress(anyLike(target), 0));
			id.addressUnreported = true;
		}
		id.require(call, State.ADDR_BOUND);
		InetSocketAddress local = id.local;
		if (local == null || (local.getAddress() instanceof Inet4Address) != (target instanceof Inet4Address)) {
			throw new RdmaException(call, Errno.EINVAL.value());
		}
		LoopbackFabric fabric = id.process().fabric();
		if (target.isAnyLocalAddress()) {
			target = (target instanceof Inet4Address) ? ofBytes(new byte[] { 127, 0, 0, 1 }) : loopbackIpv6();
		}
		boolean known = fabric.addresses().isKnown(target);
		// An id that is bound to a device looks for any address on the network behind it.
		if (!known && id.device == null && !fabric.addresses().isOnLink(target)) {
			throw new RdmaException(call, Errno.ENETUNREACH.value());
		}
		InetAddress from = local.getAddress().isAnyLocalAddress() ? fabric.addresses().sourceFor(target)
				: FabricAddresses.withoutScope(local.getAddress());
		InetSocketAddress peer = new InetSocketAddress(target, destination.getPort());
		id.state = State.ADDR_QUERY;
		InetAddress found = FabricAddresses.withoutScope(target);
		if (!known || !fabric.network().answersNeighbourDiscovery(from, found)) {
			id.retransmission = fabric.timer()
				.schedule(TimeUnit.MILLISECONDS.toNanos(timeoutMillis), () -> failResolution(id, Errno.ETIMEDOUT));
		}
		else if (!fabric.isDevicePresent()) {
			failResolution(id, Errno.ENODEV);
		}
		else {
			id.local = new InetSocketAddress(from, local.getPort());
			id.addressUnreported = false;
			id.peer = peer;
			id.device = id.process().cmContext();
			id.state = State.ADDR_RESOLVED;
			CmEvents.queue(id, CmEventType.ADDR_RESOLVED, 0);
		}
	}

	static void resolveRoute(LoopbackCmId id, int timeoutMillis) {
		id.requireDevice("rdma_resolve_route");
		if (timeoutMillis <= 0) {
			throw new RdmaException("rdma_resolve_route", Errno.EINVAL.value());
		}
		id.require("rdma_resolve_route", State.ADDR_RESOLVED);
		id.state = State.ROUTE_RESOLVED;
		CmEvents.queue(id, CmEventType.ROUTE_RESOLVED, 0);
	}

	static void setOption(LoopbackCmId id, CmIdOption option, int value) {
		String call = "rdma_set_option";
		switch (option) {
			case TOS -> check(call, value >= 0 && value <= MAX_TOS);
			case REUSEADDR -> {
				check(call, id.state == State.IDLE || (value != 0 && id.state != State.LISTEN));
				id.reuseAddress = value != 0;
			}
			case AFONLY -> {
				id.require(call, State.IDLE, State.ADDR_BOUND);
				id.addressFamilyOnly = value != 0;
			}
			case ACK_TIMEOUT -> {
				check(call, value >= 0 && value <= MAX_ACK_TIMEOUT && !id.isDatagram());
				id.ackTimeout = value;
			}
		}
	}

	private static void failResolution(LoopbackCmId id, Errno errno) {
		id.retransmission = null;
		id.state = State.ADDR_BOUND;
		CmEvents.queue(id, CmEventType.ADDR_ERROR, -errno.value());
	}

	private static void check(String call, boolean valid) {
		if (!valid) {
			throw new RdmaException(call, Errno.EINVAL.value());
		}
	}

	private static InetAddress hostOf(String call, InetSocketAddress address) {
		InetAddress host = address.getAddress();
		if (host == null) {
			throw new IllegalArgumentException(
					call + " takes a resolved address, but the host name of " + address + " has not been resolved");
		}
		return host;
	}

	private static boolean isLinkLocalWithoutScope(InetAddress host) {
		return host instanceof Inet6Address inet6 && inet6.isLinkLocalAddress() && inet6.getScopeId() == 0;
	}

	private static InetAddress anyLike(InetAddress address) {
		return (address instanceof Inet4Address) ? anyIpv4() : ofBytes(new byte[16]);
	}

	private static InetAddress anyIpv4() {
		return ofBytes(new byte[4]);
	}

	private static InetAddress loopbackIpv6() {
		byte[] bytes = new byte[16];
		bytes[15] = 1;
		return ofBytes(bytes);
	}

	private static InetAddress ofBytes(byte[] bytes) {
		try {
			return InetAddress.getByAddress(bytes);
		}
		catch (UnknownHostException ex) {
			throw new IllegalStateException("An address has 4 or 16 bytes", ex);
		}
	}

}
