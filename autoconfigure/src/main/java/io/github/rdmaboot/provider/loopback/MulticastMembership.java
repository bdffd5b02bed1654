package io.github.rdmaboot.provider.loopback;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;

import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.loopback.LoopbackCmId.State;

/**
 * Membership of an id in a multicast group. Guarded by the fabric's lock.
 */
final class MulticastMembership {

	private static final int MULTICAST_QP = 0xffffff;

	private final LoopbackCmId id;

	private final InetAddress group;

	private final AckCounter events;

	private final boolean sendOnly;

	private final long context;

	private MulticastMembership(LoopbackCmId id, InetAddress group, boolean sendOnly, long context) {
		this.id = id;
		this.group = group;
		this.sendOnly = sendOnly;
		this.context = context;
		this.events = new AckCounter(id.process().fabric().lock());
	}

	static void join(LoopbackCmId id, InetSocketAddress address, boolean sendOnly, long context) {
		String call = sendOnly ? "rdma_join_multicast_ex" : "rdma_join_multicast";
		id.require(call, State.ADDR_BOUND, State.ADDR_RESOLVED, State.ROUTE_RESOLVED);
		InetAddress group = FabricAddresses.withoutScope(address.getAddress());
		if (!id.isDatagram() || id.device == null || !group.isMulticastAddress() || id.memberships.containsKey(group)) {
			throw new RdmaException(call, Errno.EINVAL.value());
		}
		if (group instanceof Inet6Address) {
			// The kernel sends IGMP for groups on RoCE v2, but no MLD.
			throw new RdmaException(call, Errno.ENOTSUPP.value());
		}
		MulticastMembership membership = new MulticastMembership(id, group, sendOnly, context);
		id.memberships.put(group, membership);
		QueuedEvent event = new QueuedEvent(id, CmEventType.MULTICAST_JOIN, 0);
		event.membership = membership;
		event.qpNum = MULTICAST_QP;
		event.qkey = DatagramTransport.CM_QKEY;
		event.address = Gids.pathTo(group);
		CmEvents.queue(event);
	}

	static void leave(LoopbackCmId id, InetSocketAddress address) {
		MulticastMembership membership = id.memberships.get(FabricAddresses.withoutScope(address.getAddress()));
		if (membership == null) {
			throw new RdmaException("rdma_leave_multicast", Errno.EADDRNOTAVAIL.value());
		}
		membership.leave();
		membership.events.awaitAll();
	}

	long context() {
		return this.context;
	}

	AckCounter events() {
		return this.events;
	}

	/**
	 * Attach the id's queue pair, as the library does when it fetches the event.
	 */
	void attach() {
		LoopbackQp qp = this.id.qp;
		if (qp != null && !this.sendOnly && this.id.memberships.containsValue(this)) {
			qp.fabric().multicast().attach(this.group, qp);
		}
	}

	void leave() {
		this.id.memberships.remove(this.group);
		CmEvents.drop(this.id, this);
		LoopbackQp qp = this.id.qp;
		if (qp != null) {
			qp.fabric().multicast().detach(this.group, qp);
		}
	}

}
