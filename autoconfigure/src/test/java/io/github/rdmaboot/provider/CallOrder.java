package io.github.rdmaboot.provider;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Checks the partial order in which native objects must be freed: multicast groups before
 * their queue pair, a queue pair before its id and its completion queues, memory regions,
 * address handles and queue pairs before their protection domain, completion queues
 * before their channel, ids before their event channel, every event acknowledged once and
 * before its owner is destroyed, and nothing used or freed after it was freed. What could
 * not be freed counts as gone: the rest has to go on without it.
 */
public final class CallOrder {

	private final boolean quiet;

	private final List<String> violations = new CopyOnWriteArrayList<>();

	private final Map<Long, Long> channelOfId = new HashMap<>();

	private final Map<Long, Long> unacknowledged = new HashMap<>();

	private final Map<Long, QueuePairUse> queuePairs = new HashMap<>();

	private final Map<Long, Long> pdOfMemory = new HashMap<>();

	private final Map<Long, Long> pdOfAddress = new HashMap<>();

	private final Map<Long, Set<Object>> groupsOfId = new HashMap<>();

	private final Map<Long, Long> pdOfSharedReceives = new HashMap<>();

	private final Map<Long, Long> channelOfQueue = new HashMap<>();

	private final Map<Long, String> shared = new HashMap<>();

	private final Set<Long> dead = new HashSet<>();

	private final Set<Long> lost = new HashSet<>();

	/**
	 * Create the check.
	 */
	public CallOrder() {
		this(true);
	}

	/**
	 * Create the check.
	 * @param quiet whether no event can arrive in the instant in which an id is
	 * destroyed. One that does is fetched and acknowledged by the channel's thread at
	 * once, and the destroy waits for that; a hang would show otherwise
	 */
	public CallOrder(boolean quiet) {
		this.quiet = quiet;
	}

	/**
	 * Return what was done in a wrong order.
	 * @return one sentence for each violation
	 */
	public List<String> violations() {
		return List.copyOf(this.violations);
	}

	/**
	 * Return the objects that were made and not freed.
	 * @return a description, empty when there are none
	 */
	public synchronized List<String> left() {
		List<String> left = new ArrayList<>();
		this.channelOfId.keySet().forEach((id) -> left.add("CM id " + id));
		this.queuePairs.keySet().forEach((id) -> left.add("queue pair of CM id " + id));
		this.pdOfMemory.keySet().forEach((mr) -> left.add("memory region " + mr));
		this.pdOfSharedReceives.keySet().forEach((srq) -> left.add("shared receive queue " + srq));
		this.channelOfQueue.keySet().forEach((cq) -> left.add("completion queue " + cq));
		this.pdOfAddress.keySet().forEach((ah) -> left.add("address handle " + ah));
		this.groupsOfId.forEach((id, groups) -> groups.forEach((group) -> left.add("group " + group + " of " + id)));
		this.shared.forEach((handle, call) -> left.add("what " + call + " made, " + handle));
		return left;
	}

	synchronized void before(String method, Object[] args) {
		long first = (args != null && args.length > 0 && args[0] instanceof Long handle) ? handle : 0;
		if (first != 0 && this.dead.contains(first)) {
			this.violations.add(method + " on " + first + ", which was destroyed");
		}
		if (isDestroy(method) && !method.equals("rdmaDestroyQp") && this.lost.contains(first)) {
			this.violations.add(method + " on " + first + ", which could not be destroyed before");
		}
		switch (method) {
			case "rdmaDestroyQp" -> check(this.groupsOfId.getOrDefault(first, Set.of()).isEmpty(),
					"rdma_destroy_qp before its multicast groups were left");
			case "rdmaMigrateId" -> check(!this.unacknowledged.containsValue(first),
					"rdma_migrate_id with an un-acknowledged event, for which it waits");
			case "ibvPostSend" ->
				check(!(args[1] instanceof SendWorkRequest request) || !this.dead.contains(request.ah),
						"ibv_post_send with an address handle that was destroyed");
			case "rdmaDestroyId" -> {
				check(!this.queuePairs.containsKey(first), "rdma_destroy_id before the queue pair");
				check(!this.quiet || !this.unacknowledged.containsValue(first),
						"rdma_destroy_id with an un-acknowledged event");
			}
			case "ibvDestroyCq" ->
				check(this.queuePairs.values().stream().noneMatch((use) -> use.sendCq == first || use.recvCq == first),
						"ibv_destroy_cq before its queue pair");
			case "ibvDeallocPd" -> {
				check(this.queuePairs.values().stream().noneMatch((use) -> use.pd == first),
						"ibv_dealloc_pd before its queue pair");
				check(!this.pdOfMemory.containsValue(first), "ibv_dealloc_pd before its memory region");
				check(!this.pdOfAddress.containsValue(first), "ibv_dealloc_pd before its address handle");
				check(!this.pdOfSharedReceives.containsValue(first), "ibv_dealloc_pd before its shared receive queue");
			}
			case "ibvDestroySrq" -> check(this.queuePairs.values().stream().noneMatch((use) -> use.srq == first),
					"ibv_destroy_srq before its queue pair");
			case "ibvDestroyCompChannel" ->
				check(!this.channelOfQueue.containsValue(first), "ibv_destroy_comp_channel before its queue");
			case "rdmaDestroyEventChannel" ->
				check(!this.channelOfId.containsValue(first), "rdma_destroy_event_channel before its ids");
			case "rdmaAckCmEvent" ->
				check(this.unacknowledged.containsKey(first), "rdma_ack_cm_event twice, or of no event");
			default -> {
			}
		}
	}

	synchronized void after(String method, Object[] args, Object result) {
		switch (method) {
			case "rdmaCreateId" -> {
				this.dead.remove((Long) result);
				this.channelOfId.put((Long) result, (Long) args[0]);
			}
			case "rdmaGetCmEvent" -> {
				if (result instanceof CmEventData event) {
					this.unacknowledged.put(event.event(), (event.listenId() != 0) ? event.listenId() : event.id());
					if (event.listenId() != 0) {
						this.dead.remove(event.id());
						this.channelOfId.put(event.id(), (Long) args[0]);
					}
				}
			}
			case "rdmaMigrateId" -> this.channelOfId.put((Long) args[0], (Long) args[1]);
			case "rdmaCreateQp" -> {
				QueuePairInit init = (QueuePairInit) args[2];
				this.queuePairs.put((Long) args[0],
						new QueuePairUse((Long) args[1], init.sendCq(), init.recvCq(), init.srq()));
			}
			case "ibvRegMr" -> {
				long mr = ((MemoryRegionData) result).mr();
				this.dead.remove(mr);
				this.pdOfMemory.put(mr, (Long) args[0]);
			}
			case "ibvCreateAh", "ibvCreateAhFromWc" -> {
				this.dead.remove((Long) result);
				this.pdOfAddress.put((Long) result, (Long) args[0]);
			}
			case "rdmaJoinMulticast" ->
				this.groupsOfId.computeIfAbsent((Long) args[0], (id) -> new HashSet<>()).add(args[1]);
			case "ibvCreateSrq" -> {
				this.dead.remove((Long) result);
				this.pdOfSharedReceives.put((Long) result, (Long) args[0]);
			}
			case "ibvCreateCq" -> {
				this.dead.remove((Long) result);
				this.channelOfQueue.put((Long) result, (Long) args[2]);
			}
			case "rdmaCreateEventChannel", "ibvAllocPd", "ibvCreateCompChannel", "createWaker" -> {
				this.dead.remove((Long) result);
				this.shared.put((Long) result, method);
			}
			case "rdmaAckCmEvent" -> this.unacknowledged.remove((Long) args[0]);
			default -> freed(method, args);
		}
	}

	synchronized void failed(String method, Object[] args) {
		if (method.equals("rdmaLeaveMulticast")) {
			freed(method, args);
		}
		if (isDestroy(method)) {
			freed(method, args);
			if (!method.equals("rdmaDestroyQp")) {
				this.dead.remove((Long) args[0]);
				this.lost.add((Long) args[0]);
			}
		}
	}

	private void freed(String method, Object[] args) {
		if (method.equals("rdmaLeaveMulticast")) {
			this.groupsOfId.getOrDefault((Long) args[0], new HashSet<>()).remove(args[1]);
		}
		if (!isDestroy(method)) {
			return;
		}
		long handle = (Long) args[0];
		if (method.equals("rdmaDestroyQp")) {
			this.queuePairs.remove(handle);
			return;
		}
		this.dead.add(handle);
		this.channelOfId.remove(handle);
		this.pdOfMemory.remove(handle);
		this.channelOfQueue.remove(handle);
		this.pdOfSharedReceives.remove(handle);
		this.pdOfAddress.remove(handle);
		this.shared.remove(handle);
	}

	private static boolean isDestroy(String method) {
		return switch (method) {
			case "rdmaDestroyId", "rdmaDestroyQp", "ibvDeregMr", "ibvDestroyCq", "ibvDestroyCompChannel",
					"ibvDeallocPd", "ibvDestroyAh", "ibvDestroySrq", "rdmaDestroyEventChannel", "destroyWaker" ->
				true;
			default -> false;
		};
	}

	private void check(boolean fine, String violation) {
		if (!fine) {
			this.violations.add(violation);
		}
	}

	private record QueuePairUse(long pd, long sendCq, long recvCq, long srq) {

	}

}
