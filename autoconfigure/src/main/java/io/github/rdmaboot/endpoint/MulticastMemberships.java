package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

import io.github.rdmaboot.cm.CmEvent;
import io.github.rdmaboot.cm.DatagramTarget;
import io.github.rdmaboot.cm.OwnedCmId;
import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.verbs.EachCall;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The multicast groups that a datagram endpoint has joined or is joining, one at a time,
 * for which {@code joinLock} is held. Whoever takes a group out of {@code begun} has the
 * duty to leave it.
 */
final class MulticastMemberships {

	private static final Logger logger = LoggerFactory.getLogger(MulticastMemberships.class);

	private static final String JOIN = "rdma_join_multicast";

	private static final String LEAVE = "rdma_leave_multicast";

	/** How often to look whether a join that is waited for was given up. */
	private static final long TICK_MILLIS = 50;

	private final RdmaDatagramEndpoint endpoint;

	private final OwnedCmId id;

	private final SetupGate gate;

	private final AwaitedEvents events;

	private final Duration callLimit;

	private final ReentrantLock joinLock = new ReentrantLock();

	private volatile @Nullable CallWatch joining;

	private final Set<InetAddress> begun = ConcurrentHashMap.newKeySet();

	private final Map<InetAddress, DatagramPeer> joined = new ConcurrentHashMap<>();

	// The limit is that of a call that waits for nobody.
	MulticastMemberships(RdmaDatagramEndpoint endpoint, OwnedCmId id, SetupGate gate, AwaitedEvents events,
			Duration callLimit) {
		this.callLimit = callLimit;
		this.endpoint = endpoint;
		this.id = id;
		this.gate = gate;
		this.events = events;
	}

	// Take an event that the endpoint's id got.
	void onEvent(CmEvent event) {
		InetSocketAddress group = event.group();
		if (group == null) {
			logger.debug("RDMA datagram endpoint '{}' has left the group meanwhile: {}", this.endpoint.name(),
					event.describe());
		}
		else if (event.type() == CmEventType.MULTICAST_ERROR && this.joined.containsKey(group.getAddress())) {
			logger.warn("RDMA datagram endpoint '{}' may have lost its multicast group {}: {}", this.endpoint.name(),
					group.getAddress().getHostAddress(), event.describe());
		}
		else {
			this.events.onEvent(event);
		}
	}

	void cancel() {
		this.events.cancel();
	}

	// Join a group, or return what a join before brought.
	DatagramPeer join(InetAddress group, CallWatch watch) {
		lock(group);
		this.joining = watch;
		try {
			DatagramPeer member = this.joined.get(group);
			return (member != null) ? member : joinAlone(group, watch);
		}
		finally {
			this.joining = null;
			this.joinLock.unlock();
		}
	}

	// Wait for the joins before, but not for one whose call was given up.
	private void lock(InetAddress group) {
		try {
			while (!this.joinLock.tryLock(TICK_MILLIS, TimeUnit.MILLISECONDS)) {
				this.gate.requireOpen();
				CallWatch joining = this.joining;
				if (joining != null && joining.isOverdue()) {
					throw failure(group, new RdmaException(JOIN, Errno.ETIMEDOUT.value(),
							"a call for another group does not return"));
				}
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw failure(group, new RdmaException(JOIN, Errno.EINTR.value(), JOIN + " was interrupted"));
		}
	}

	private DatagramPeer joinAlone(InetAddress group, CallWatch watch) {
		Duration limit = this.endpoint.settings().connectTimeout();
		Deadline deadline = Deadline.after(limit);
		this.events.clear();
		boolean done = false;
		try {
			watch.during(JOIN, limit, () -> this.gate.pass(() -> {
				this.id.joinMulticast(new InetSocketAddress(group, 0));
				this.begun.add(group);
			}));
			CmEvent event = this.events.await(JOIN, group.getHostAddress(), CmEventType.MULTICAST_JOIN,
					(answer) -> isOf(group, answer), deadline, limit);
			DatagramTarget target = event.target();
			if (target == null) {
				throw new IllegalStateException("The answer to a join names no group");
			}
			DatagramPeer peer = new DatagramPeer(this.endpoint, DatagramPath.told(target.path()), target.qpNum(),
					target.qkey(), group);
			this.joined.put(group, peer);
			done = true;
			return peer;
		}
		catch (RdmaEndpointException ex) {
			throw ex;
		}
		catch (RdmaException ex) {
			throw failure(group, ex);
		}
		finally {
			if (!done) {
				giveUp(group, watch);
			}
		}
	}

	private static boolean isOf(InetAddress group, CmEvent answer) {
		return answer.group() != null && answer.group().getAddress().equals(group);
	}

	// librdmacm keeps a group whose join failed or is not wanted any more.
	private void giveUp(InetAddress group, CallWatch watch) {
		if (this.begun.remove(group)) {
			try {
				watch.watch(LEAVE, LEAVE, this.callLimit, () -> leaveNow(group));
			}
			catch (RdmaException ex) {
				logger.debug("Multicast group {} was not joined and could not be left", group.getHostAddress(), ex);
			}
		}
	}

	boolean isJoined(InetAddress group) {
		return this.joined.containsKey(group);
	}

	// Leave a group; returns whether it was joined.
	boolean leave(InetAddress group, CallWatch watch) {
		AtomicBoolean left = new AtomicBoolean();
		try {
			watch.during(LEAVE, this.callLimit, () -> this.gate.pass(() -> left.set(leaveJoined(group))));
		}
		catch (RdmaException ex) {
			throw failure(group, ex);
		}
		return left.get();
	}

	// With the gate held, so that nobody joins the group between the two removals: that
	// membership would be left here, and be taken for one that exists.
	private boolean leaveJoined(InetAddress group) {
		boolean member = this.joined.remove(group) != null;
		if (member && this.begun.remove(group)) {
			leaveNow(group);
		}
		return member;
	}

	// Leave all groups, when a join that was under way has been given up; every one is
	// attempted, and the first failure is thrown. The gate must be shut.
	void leaveAll() {
		this.joinLock.lock();
		try {
			leaveEach();
		}
		finally {
			this.joinLock.unlock();
		}
	}

	private void leaveEach() {
		EachCall calls = new EachCall();
		for (InetAddress group : this.begun) {
			this.joined.remove(group);
			calls.run(() -> {
				if (this.begun.remove(group)) {
					leaveNow(group);
				}
			});
		}
		calls.throwFirst();
	}

	private void leaveNow(InetAddress group) {
		this.id.leaveMulticast(new InetSocketAddress(group, 0));
	}

	Map<InetAddress, DatagramPeer> groups() {
		Map<InetAddress, DatagramPeer> groups = new TreeMap<>(Comparator.comparing(InetAddress::getHostAddress));
		groups.putAll(this.joined);
		return groups;
	}

	private RdmaEndpointException failure(InetAddress group, RdmaException cause) {
		return new RdmaEndpointException(this.endpoint.name(), group.getHostAddress(), cause.call(), cause.errno(),
				cause.call() + " failed for multicast group " + group.getHostAddress() + " with "
						+ Errno.describe(cause.errno()),
				cause);
	}

}
