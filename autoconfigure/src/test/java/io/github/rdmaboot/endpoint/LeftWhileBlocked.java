package io.github.rdmaboot.endpoint;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What may be left while one call of a destroy is blocked: of one connection, endpoint or
 * listener what the call and those after it free, and what all of them share.
 */
final class LeftWhileBlocked {

	private static final String QUEUE = "completion queue";

	/** What the calls of a destroy free, the last call first. */
	private static final Map<String, Set<String>> FREED = new LinkedHashMap<>();

	static {
		FREED.put("rdmaDestroyId", Set.of("CM id", "event channel"));
		FREED.put("ibvDeallocPd", Set.of("protection domain"));
		FREED.put("ibvDeregMr", Set.of("memory region"));
		FREED.put("ibvDestroyCompChannel", Set.of("completion channel", "waker"));
		FREED.put("ibvDestroyCq", Set.of(QUEUE, "shared receive queue"));
		FREED.put("ibvDestroySrq", Set.of());
		FREED.put("ibvDestroyAh", Set.of("address handle"));
		FREED.put("rdmaDestroyQp", Set.of("queue pair"));
		FREED.put("rdmaDisconnect", Set.of());
		FREED.put("rdmaLeaveMulticast", Set.of("group"));
	}

	private final Map<String, Integer> limits = new HashMap<>();

	/**
	 * Find what may be left.
	 * @param method the call that is blocked
	 * @param queues how many completion queues one connection has
	 */
	LeftWhileBlocked(String method, int queues) {
		if (!FREED.containsKey(method)) {
			throw new IllegalArgumentException(method + " is no call of a destroy");
		}
		for (Map.Entry<String, Set<String>> call : FREED.entrySet()) {
			call.getValue().forEach((kind) -> this.limits.put(kind, limit(kind, queues)));
			if (call.getKey().equals(method)) {
				break;
			}
		}
	}

	private static int limit(String kind, int queues) {
		return switch (kind) {
			// Slabs that connections share.
			case "memory region" -> Integer.MAX_VALUE;
			case QUEUE -> queues;
			default -> 1;
		};
	}

	/**
	 * Return what should have been freed.
	 * @param left descriptions of all that is left
	 * @return those of which there is more than may be left
	 */
	List<String> tooMuchOf(List<String> left) {
		List<String> tooMuch = new ArrayList<>();
		Set<String> known = new HashSet<>();
		this.limits.forEach((kind, limit) -> {
			List<String> found = left.stream().filter((object) -> object.startsWith(kind + " ")).toList();
			known.addAll(found);
			if (found.size() > limit) {
				tooMuch.addAll(found);
			}
		});
		left.stream().filter((object) -> !known.contains(object)).forEach(tooMuch::add);
		return tooMuch;
	}

}
