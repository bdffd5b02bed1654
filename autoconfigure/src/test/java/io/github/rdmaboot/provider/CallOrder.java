package io.github.rdmaboot.provider;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

import io.github.rdmaboot.provider.StopPlan.Phase;
import org.jspecify.annotations.Nullable;

/**
 * Checks the partial order in which native objects must be used and freed:
 * <ul>
 * <li>multicast groups before their queue pair, a queue pair before its id and its
 * completion queues, memory regions, address handles and queue pairs before their
 * protection domain, completion queues before their channel, ids before their event
 * channel;</li>
 * <li>all that is on a device before the last id on it, with which its context may
 * go;</li>
 * <li>a connection disconnected before its queue pair goes, and nothing posted to it
 * after that;</li>
 * <li>every event of an id and of a completion queue acknowledged once, and not left to
 * the thread that destroys their owner;</li>
 * <li>nothing used or freed after it was freed;</li>
 * <li>at a stop of all endpoints, the phases of {@link StopPlan}.</li>
 * </ul>
 * What could not be freed counts as gone: the rest has to go on without it. May be told
 * of calls by any thread. All violations are collected for {@link #takeViolations()},
 * whoever made the order.
 */
public final class CallOrder {

	private static final Queue<String> found = new ConcurrentLinkedQueue<>();

	private static final Set<String> WATCHED = Set.of("rdmaCreateEventChannel", "rdmaDestroyEventChannel",
			"rdmaCreateId", "rdmaDestroyId", "rdmaListen", "rdmaMigrateId", "rdmaGetCmEvent", "rdmaAckCmEvent",
			"rdmaCreateQp", "rdmaDestroyQp", "rdmaConnect", "rdmaAccept", "rdmaDisconnect", "rdmaJoinMulticast",
			"rdmaLeaveMulticast", "contextOf", "deviceOf", "ibvAllocPd", "ibvDeallocPd", "ibvRegMr", "ibvDeregMr",
			"ibvCreateAh", "ibvCreateAhFromWc", "ibvDestroyAh", "ibvCreateSrq", "ibvDestroySrq", "ibvModifyQp",
			"ibvCreateCompChannel", "ibvDestroyCompChannel", "closeCompletionChannel", "ibvCreateCq", "ibvDestroyCq",
			"ibvGetCqEvent", "ibvAckCqEvents", "createWaker", "destroyWaker");

	private static final Set<String> tolerated = ConcurrentHashMap.newKeySet();

	private static final Call UNWATCHED = new Call("", new Object[0], null, null);

	private final boolean quiet;

	private final boolean connections;

	private final List<String> violations = new CopyOnWriteArrayList<>();

	private final Map<Long, NativeObject> objects = new ConcurrentHashMap<>();

	private final Set<NativeObject> left = new LinkedHashSet<>();

	private final Map<Long, DeviceUse> devices = new HashMap<>();

	private final Map<Long, UnacknowledgedEvent> events = new HashMap<>();

	private final Map<Long, Set<Object>> groupsOfId = new HashMap<>();

	private final Set<Long> dead = ConcurrentHashMap.newKeySet();

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
	 * destroyed. One that does is fetched and acknowledged by the thread of its channel
	 * at once, and the destroy waits for that; a hang would show otherwise
	 */
	public CallOrder(boolean quiet) {
		this(quiet, true);
	}

	private CallOrder(boolean quiet, boolean connections) {
		this.quiet = quiet;
		this.connections = connections;
	}

	/**
	 * Create the check for tests of ids alone, which may be destroyed at any moment of
	 * their life: that they are disconnected before is up to who uses them.
	 * @param quiet whether no event can arrive in the instant in which an id is destroyed
	 * @return the check
	 */
	public static CallOrder ofIds(boolean quiet) {
		return new CallOrder(quiet, false);
	}

	/**
	 * Do not count what a test causes on purpose, until it ends.
	 * @param violation the violation
	 */
	public static void tolerate(String violation) {
		tolerated.add(violation);
	}

	/**
	 * The test has ended.
	 */
	public static void tolerateNothing() {
		tolerated.clear();
	}

	/**
	 * Return the violations that any order has found since the last call.
	 * @return the violations with the calls that led to them
	 */
	public static List<String> takeViolations() {
		List<String> taken = new ArrayList<>();
		for (String next = found.poll(); next != null; next = found.poll()) {
			taken.add(next);
		}
		return taken;
	}

	static void tell(String violation) {
		found.add(violation);
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
		this.left.forEach((object) -> left.add(object.toString()));
		this.groupsOfId.forEach((id, groups) -> groups.forEach((group) -> left.add("group " + group + " of " + id)));
		return left;
	}

	/**
	 * A call begins.
	 * @param method the method
	 * @param args its arguments
	 * @return the call, to be told of its end
	 */
	Call begin(String method, Object... args) {
		long first = (args.length > 0 && args[0] instanceof Long handle) ? handle : 0;
		// An acknowledgement may be what a destroy waits for.
		if (first != 0 && this.dead.contains(first) && !method.equals("ibvAckCqEvents")) {
			violated(method + " on " + first + ", which was destroyed");
		}
		switch (method) {
			case "ibvPostSend" -> {
				checkPost(method, first);
				if (args[1] instanceof SendWorkRequest request) {
					checkAddresses(request);
				}
			}
			case "ibvPostRecv" -> checkPost(method, first);
			default -> {
				if (WATCHED.contains(method)) {
					return beginWatched(method, args, first);
				}
			}
		}
		return UNWATCHED;
	}

	private void checkPost(String method, long queuePair) {
		NativeObject object = this.objects.get(queuePair);
		check(object == null || !object.ended, method + " after this side had ended the use of the queue pair");
	}

	private void checkAddresses(SendWorkRequest first) {
		for (SendWorkRequest request = first; request != null; request = request.next) {
			check(request.ah == 0 || !this.dead.contains(request.ah),
					"ibvPostSend with an address handle that was destroyed");
		}
	}

	private synchronized Call beginWatched(String method, Object[] args, long first) {
		NativeObject object = this.objects.get(first);
		UnacknowledgedEvent event = null;
		switch (method) {
			case "rdmaDisconnect" -> {
				enter(Phase.DISCONNECT, method);
				if (object != null && object.partner != null) {
					object.partner.ended = true;
				}
			}
			case "rdmaLeaveMulticast" -> enter(Phase.GROUPS, method);
			case "ibvModifyQp" -> {
				if (object != null && isError(args[1])) {
					object.ended = true;
				}
			}
			case "rdmaAckCmEvent" -> {
				event = this.events.get(first);
				check(event != null, "rdmaAckCmEvent twice, or of no event that was fetched");
			}
			case "ibvAckCqEvents" -> acknowledge(object, (Integer) args[1]);
			case "rdmaDestroyQp" -> object = beginDestroyQp(object, first);
			case "rdmaMigrateId" -> check(this.events.values().stream().noneMatch((known) -> known.owner == first),
					"rdmaMigrateId with an event that is not acknowledged, for which it waits");
			default -> {
				if (isDestroy(method)) {
					beginDestroy(method, object, first);
				}
			}
		}
		return new Call(method, args, object, event);
	}

	private static boolean isError(Object attributes) {
		QueuePairAttributes changes = (QueuePairAttributes) attributes;
		return (changes.mask() & QueuePairAttributes.STATE) != 0 && changes.state() == QueuePairState.ERR;
	}

	private void acknowledge(@Nullable NativeObject queue, int count) {
		if (queue != null && queue.unacknowledged >= count) {
			queue.unacknowledged -= count;
			return;
		}
		violated("ibvAckCqEvents of more events than were fetched");
	}

	private @Nullable NativeObject beginDestroyQp(@Nullable NativeObject id, long handle) {
		enter(Phase.QUEUE_PAIRS, "rdmaDestroyQp");
		check(this.groupsOfId.getOrDefault(handle, Set.of()).isEmpty(),
				"rdmaDestroyQp before its multicast groups were left");
		NativeObject queuePair = (id != null) ? id.partner : null;
		if (id == null || queuePair == null) {
			violated("rdmaDestroyQp of an id without a queue pair");
			return null;
		}
		check(!id.connected || queuePair.ended || !this.connections,
				"rdmaDestroyQp of a connection before rdmaDisconnect");
		id.partner = null;
		queuePair.ended = true;
		this.dead.add(queuePair.handle);
		return queuePair;
	}

	private void beginDestroy(String method, @Nullable NativeObject object, long handle) {
		check(!this.lost.contains(handle), method + " on " + handle + ", which could not be destroyed before");
		if (method.equals("rdmaDestroyId")) {
			beginDestroyId(object, handle);
		}
		else if (object != null && object.isOfDevice()) {
			enter(Phase.VERBS, method);
		}
		if (method.equals("ibvDestroyCq") && object != null) {
			check(object.unacknowledged == 0 || object.fetcher != Thread.currentThread(),
					"ibvDestroyCq with an event that is not acknowledged");
		}
		if (object != null) {
			object.users.forEach((user) -> violated(method + " before its " + user.kind));
		}
		this.dead.add(handle);
	}

	private void beginDestroyId(@Nullable NativeObject id, long handle) {
		if (id != null && id.hadQueuePair) {
			enter(Phase.IDS, "rdmaDestroyId");
		}
		else if (id != null && id.listens) {
			enter(Phase.LISTENERS, "rdmaDestroyId");
		}
		check(this.events.values()
			.stream()
			.noneMatch((event) -> event.owner == handle && (this.quiet || event.fetcher == Thread.currentThread())),
				"rdmaDestroyId with an event that is not acknowledged");
		if (id == null || id.context == 0) {
			return;
		}
		DeviceUse device = device(id.context);
		if (device.ids.equals(Set.of(id))) {
			device.others
				.forEach((other) -> violated("rdmaDestroyId of the last id of a device before its " + other.kind));
		}
	}

	private void enter(Phase phase, String method) {
		StopPlan plan = StopPlan.current();
		if (plan != null) {
			plan.enter(phase, method);
		}
	}

	/**
	 * A call returned.
	 * @param call the call
	 * @param result its result
	 */
	void returned(Call call, @Nullable Object result) {
		if (call != UNWATCHED) {
			returnedWatched(call, result);
		}
	}

	private synchronized void returnedWatched(Call call, @Nullable Object result) {
		Object[] args = call.args();
		NativeObject object = call.object();
		switch (call.method()) {
			case "rdmaCreateId" -> made("CM id", result, known(args[0]));
			case "rdmaGetCmEvent" -> {
				if (result instanceof CmEventData event) {
					fetched(event, args[0]);
				}
			}
			case "rdmaAckCmEvent" -> this.events.remove((Long) args[0], call.event());
			case "rdmaMigrateId" -> {
				if (object != null) {
					object.letGo();
					object.use(known(args[1]));
				}
			}
			case "contextOf" -> {
				this.dead.remove((Long) result);
				if (object != null) {
					isOn(object, (Long) result);
				}
			}
			case "deviceOf" -> this.dead.remove((Long) result);
			case "rdmaListen" -> {
				if (object != null) {
					object.listens = true;
				}
			}
			case "rdmaConnect", "rdmaAccept" -> {
				if (object != null) {
					object.connected = true;
				}
			}
			case "rdmaCreateQp" -> madeQueuePair(object, args, (CreatedQueuePair) result);
			case "ibvAllocPd" -> isOn(made("protection domain", result), (Long) args[0]);
			case "ibvCreateCompChannel" -> isOn(made("completion channel", result), (Long) args[0]);
			case "ibvCreateCq" -> isOn(made("completion queue", result, known(args[2])), (Long) args[0]);
			case "ibvRegMr" -> made("memory region", ((MemoryRegionData) result).mr(), known(args[0]));
			case "ibvCreateAh", "ibvCreateAhFromWc" -> made("address handle", result, known(args[0]));
			case "ibvCreateSrq" -> made("shared receive queue", result, known(args[0]));
			case "rdmaCreateEventChannel" -> made("event channel", result);
			case "createWaker" -> made("waker", result);
			case "ibvGetCqEvent" -> {
				NativeObject queue = this.objects.get((Long) result);
				if (queue != null) {
					queue.unacknowledged++;
					queue.fetcher = Thread.currentThread();
				}
			}
			case "rdmaJoinMulticast" ->
				this.groupsOfId.computeIfAbsent((Long) args[0], (id) -> new HashSet<>()).add(args[1]);
			case "ibvDestroyCq" -> {
				check(object == null || object.unacknowledged == 0,
						"ibvDestroyCq returned with an event that is not acknowledged");
				ended(call);
			}
			default -> ended(call);
		}
	}

	private void isOn(NativeObject object, long context) {
		if (context != 0 && object.context != context) {
			object.context = context;
			(object.isOfDevice() ? device(context).others : device(context).ids).add(object);
		}
	}

	private DeviceUse device(long context) {
		return this.devices.computeIfAbsent(context, (key) -> new DeviceUse());
	}

	private void fetched(CmEventData event, Object channel) {
		long owner = (event.listenId() != 0) ? event.listenId() : event.id();
		this.dead.remove(event.event());
		this.events.put(event.event(), new UnacknowledgedEvent(owner, Thread.currentThread()));
		if (event.listenId() != 0) {
			made("CM id", event.id(), known(channel));
		}
	}

	private void madeQueuePair(@Nullable NativeObject id, Object[] args, CreatedQueuePair created) {
		QueuePairInit init = (QueuePairInit) args[2];
		NativeObject queuePair = made("queue pair", created.qp(), known(args[0]), known(args[1]), known(init.sendCq()),
				known(init.recvCq()), known(init.srq()));
		if (id != null) {
			id.partner = queuePair;
			id.hadQueuePair = true;
			isOn(id, queuePair.context);
		}
	}

	private NativeObject made(String kind, Object handle, NativeObject... uses) {
		NativeObject object = new NativeObject(kind, (Long) handle);
		for (NativeObject used : uses) {
			object.use(used);
			if (object.isOfDevice()) {
				isOn(object, used.context);
			}
		}
		this.dead.remove(object.handle);
		this.lost.remove(object.handle);
		this.objects.put(object.handle, object);
		this.left.add(object);
		return object;
	}

	// What was made before the check began, or is nothing, stands for itself.
	private NativeObject known(Object handle) {
		NativeObject object = this.objects.get((Long) handle);
		return (object != null) ? object : new NativeObject("unknown", 0);
	}

	/**
	 * A call failed.
	 * @param call the call
	 */
	void failed(Call call) {
		if (call != UNWATCHED) {
			failedWatched(call);
		}
	}

	private synchronized void failedWatched(Call call) {
		ended(call);
		NativeObject object = call.object();
		if (call.method().equals("ibvAckCqEvents") && object != null) {
			object.unacknowledged += (Integer) call.args()[1];
		}
		if (isDestroy(call.method()) && object != null) {
			this.dead.remove(object.handle);
			this.lost.add(object.handle);
			// Events of a queue that is still there may be acknowledged.
			this.objects.putIfAbsent(object.handle, object);
		}
	}

	private void ended(Call call) {
		NativeObject object = call.object();
		if (call.method().equals("rdmaLeaveMulticast")) {
			this.groupsOfId.getOrDefault((Long) call.args()[0], new HashSet<>()).remove(call.args()[1]);
		}
		if (object == null || !(isDestroy(call.method()) || call.method().equals("rdmaDestroyQp"))) {
			return;
		}
		object.letGo();
		this.left.remove(object);
		DeviceUse device = device(object.context);
		device.ids.remove(object);
		device.others.remove(object);
		// Its handle may stand for another one by now.
		this.objects.remove(object.handle, object);
	}

	private static boolean isDestroy(String method) {
		return switch (method) {
			case "rdmaDestroyId", "ibvDeregMr", "ibvDestroyCq", "ibvDestroyCompChannel", "closeCompletionChannel",
					"ibvDeallocPd", "ibvDestroyAh", "ibvDestroySrq", "rdmaDestroyEventChannel", "destroyWaker" ->
				true;
			default -> false;
		};
	}

	private void check(boolean fine, String violation) {
		if (!fine) {
			violated(violation);
		}
	}

	private void violated(String violation) {
		if (tolerated.contains(violation)) {
			return;
		}
		this.violations.add(violation);
		tell(violation + calls());
	}

	private static String calls() {
		return StackWalker.getInstance()
			.walk((frames) -> frames.filter((frame) -> frame.getClassName().startsWith("io.github.rdmaboot."))
				.filter((frame) -> !frame.getClassName().equals(CallOrder.class.getName()))
				.limit(12)
				.map((frame) -> "\n\tat " + frame)
				.collect(Collectors.joining("", " on " + Thread.currentThread().getName(), "")));
	}

	/**
	 * Call that has begun.
	 *
	 * @param method the method
	 * @param args its arguments
	 * @param object what it is about, if that is known
	 * @param event the event that it acknowledges
	 */
	record Call(String method, Object[] args, @Nullable NativeObject object, @Nullable UnacknowledgedEvent event) {

	}

	/**
	 * Event of an id, which is not equal to another one at the same address.
	 */
	private static final class UnacknowledgedEvent {

		private final long owner;

		private final Thread fetcher;

		private UnacknowledgedEvent(long owner, Thread fetcher) {
			this.owner = owner;
			this.fetcher = fetcher;
		}

	}

	/**
	 * What is on a device.
	 */
	private static final class DeviceUse {

		private final Set<NativeObject> ids = new HashSet<>();

		private final Set<NativeObject> others = new HashSet<>();

	}

}
