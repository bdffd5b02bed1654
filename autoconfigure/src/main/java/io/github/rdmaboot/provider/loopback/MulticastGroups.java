package io.github.rdmaboot.provider.loopback;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Queue pairs by the multicast group that they are attached to. Guarded by the fabric's
 * lock.
 */
final class MulticastGroups {

	private final Map<InetAddress, Set<LoopbackQp>> members = new HashMap<>();

	void attach(InetAddress group, LoopbackQp qp) {
		this.members.computeIfAbsent(group, (key) -> new LinkedHashSet<>()).add(qp);
		qp.groups.add(group);
	}

	/**
	 * Detach a queue pair.
	 * @param group the group
	 * @param qp the queue pair
	 * @return whether it was attached
	 */
	boolean detach(InetAddress group, LoopbackQp qp) {
		Set<LoopbackQp> attached = this.members.get(group);
		if (attached != null && attached.remove(qp) && attached.isEmpty()) {
			this.members.remove(group);
		}
		return qp.groups.remove(group);
	}

	List<LoopbackQp> members(InetAddress group) {
		return List.copyOf(this.members.getOrDefault(group, Set.of()));
	}

}
