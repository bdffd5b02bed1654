package io.github.rdmaboot.provider.loopback;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import io.github.rdmaboot.provider.AddressInfo;
import io.github.rdmaboot.provider.ConnectionEce;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.HandleList;
import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.RdmaCmCalls;
import io.github.rdmaboot.provider.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * The calls of librdmacm on the loopback that serve ids beside their connection: devices,
 * names, shared receive queues, multicast and connection options.
 */
abstract class LoopbackCmServiceProvider extends LoopbackVerbsProvider implements RdmaCmCalls {

	private static final int RAI_PASSIVE = 1;

	private static final int RAI_NUMERICHOST = 2;

	private static final Predicate<String> IS_NUMERIC = Pattern.compile("[0-9.]+|.*:.*").asMatchPredicate();

	LoopbackCmServiceProvider(LoopbackFabric fabric) {
		super(fabric);
	}

	LoopbackCmId id(String call, long handle) {
		return get(call, handle, LoopbackCmId.class);
	}

	@Override
	public HandleList rdmaGetDevices() {
		try (FabricLock ignored = hold()) {
			if (!fabric().isDevicePresent()) {
				throw new RdmaException("rdma_get_devices", Errno.ENODEV.value());
			}
			return newList(process().cmContext().handle);
		}
	}

	@Override
	public void rdmaFreeDevices(HandleList devices) {
		freeList("rdma_free_devices", devices);
	}

	@Override
	public List<AddressInfo> rdmaGetaddrinfo(@Nullable String node, @Nullable String service, int flags,
			PortSpace portSpace) {
		if (node == null && service == null) {
			return List.of(new AddressInfo(null, null));
		}
		boolean passive = (flags & RAI_PASSIVE) != 0;
		int port = (service != null) ? portOf(service) : 0;
		List<AddressInfo> result = new ArrayList<>();
		for (InetAddress host : hostsOf(node, flags)) {
			InetSocketAddress address = new InetSocketAddress(host, port);
			result.add(passive ? new AddressInfo(address, null) : new AddressInfo(null, address));
		}
		return result;
	}

	private static int portOf(String service) {
		try {
			return Integer.parseInt(service);
		}
		catch (NumberFormatException ex) {
			throw nameServiceFailure(Errno.EINVAL, "service " + service + " is not known");
		}
	}

	private static InetAddress[] hostsOf(@Nullable String node, int flags) {
		if (node == null && (flags & RAI_PASSIVE) != 0) {
			return new InetAddress[] { new InetSocketAddress(0).getAddress() };
		}
		try {
			if (node != null && (flags & RAI_NUMERICHOST) != 0 && !IS_NUMERIC.test(node)) {
				throw new UnknownHostException(node);
			}
			return InetAddress.getAllByName(node);
		}
		catch (UnknownHostException ex) {
			throw nameServiceFailure(Errno.ENOENT, "node " + node + " is not known");
		}
	}

	private static RdmaException nameServiceFailure(Errno errno, String reason) {
		return new RdmaException("rdma_getaddrinfo", errno.value(),
				"rdma_getaddrinfo failed with " + errno.name() + ": " + reason);
	}

	@Override
	public long rdmaCreateSrq(long id, long pd, int maxWr, int maxSge) {
		try (FabricLock ignored = hold()) {
			LoopbackCmId owner = id("rdma_create_srq", id);
			DeviceContext device = owner.requireDevice("rdma_create_srq");
			LoopbackPd domain = get("rdma_create_srq", pd, LoopbackPd.class);
			if (owner.srq != null || domain.device() != device) {
				throw new RdmaException("rdma_create_srq", Errno.EINVAL.value());
			}
			LoopbackSrq srq = new LoopbackSrq(domain, maxWr, maxSge);
			srq.handle = process().handles().add(srq);
			owner.srq = srq;
			return srq.handle;
		}
	}

	@Override
	public void rdmaDestroySrq(long id) {
		try (FabricLock ignored = hold()) {
			LoopbackCmId owner = id("rdma_destroy_srq", id);
			LoopbackSrq srq = owner.srq;
			if (srq == null) {
				throw new IllegalStateException("rdma_destroy_srq was called for an id without a shared receive queue: "
						+ "in C this is a null pointer and crashes the process");
			}
			srq.destroy();
			process().handles().remove(srq.handle);
			owner.srq = null;
		}
	}

	@Override
	public void rdmaJoinMulticast(long id, InetSocketAddress group, long context) {
		try (FabricLock ignored = hold()) {
			MulticastMembership.join(id("rdma_join_multicast", id), group, false, context);
		}
	}

	@Override
	public void rdmaJoinMulticastEx(long id, InetSocketAddress group, boolean sendOnly) {
		try (FabricLock ignored = hold()) {
			MulticastMembership.join(id("rdma_join_multicast_ex", id), group, sendOnly, 0);
		}
	}

	@Override
	public void rdmaLeaveMulticast(long id, InetSocketAddress group) {
		try (FabricLock ignored = hold()) {
			MulticastMembership.leave(id("rdma_leave_multicast", id), group);
		}
	}

	@Override
	public void rdmaSetLocalEce(long id, ConnectionEce ece) {
		try (FabricLock ignored = hold()) {
			LoopbackCmId owner = id("rdma_set_local_ece", id);
			if (owner.qp != null || ece.vendorId() == 0) {
				throw new RdmaException("rdma_set_local_ece", Errno.EINVAL.value());
			}
			owner.localEce = ece;
		}
	}

	@Override
	public ConnectionEce rdmaGetRemoteEce(long id) {
		try (FabricLock ignored = hold()) {
			LoopbackCmId owner = id("rdma_get_remote_ece", id);
			if (owner.qp != null) {
				throw new RdmaException("rdma_get_remote_ece", Errno.EINVAL.value());
			}
			ConnectionEce ece = owner.remoteEce;
			return (ece != null) ? ece : new ConnectionEce(0, 0);
		}
	}

}
