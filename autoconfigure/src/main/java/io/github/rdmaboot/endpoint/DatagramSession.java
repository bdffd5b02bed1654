package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import io.github.rdmaboot.cm.Addresses;
import io.github.rdmaboot.cm.CmId;
import io.github.rdmaboot.cm.CmIdState;
import io.github.rdmaboot.cm.DatagramTarget;
import io.github.rdmaboot.cm.OwnedCmId;
import io.github.rdmaboot.endpoint.destroy.DestroyMember;
import io.github.rdmaboot.endpoint.destroy.DestroyStep;
import io.github.rdmaboot.endpoint.destroy.DestroyStepName;
import io.github.rdmaboot.provider.CmIdOption;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * What a datagram endpoint has from one start to its destroy: the queue pair on the
 * endpoint's CM id, the multicast groups, the listener and the look-ups of peers that are
 * under way.
 */
final class DatagramSession {

	private final RdmaDatagramEndpoint endpoint;

	private final DatagramSettings settings;

	private final EndpointRuntime runtime;

	private final OwnedCmId id;

	private final OwnedCmId serviceId;

	private final SetupGate gate;

	private final DatagramResources resources;

	private final MulticastMemberships memberships;

	private final DatagramService service;

	// Questions to and of peers that are under way, each with a CM id of its own.
	private final Exchanges exchanges = new Exchanges();

	private final Set<PeerLookUp> lookUps = ConcurrentHashMap.newKeySet();

	DatagramSession(RdmaDatagramEndpoint endpoint, EndpointRuntime runtime, OwnedCmId id) {
		this.endpoint = endpoint;
		this.settings = endpoint.settings();
		this.runtime = runtime;
		this.id = id;
		this.serviceId = new OwnedCmId(endpoint.name() + ".service");
		this.gate = new SetupGate(endpoint::closedException);
		this.resources = new DatagramResources(endpoint);
		this.memberships = new MulticastMemberships(endpoint, id, this.gate, awaitedEvents(), runtime.callTimeout());
		this.service = new DatagramService(this.settings, this.serviceId, runtime, this.gate, endpoint.statistics(),
				this.exchanges);
	}

	private AwaitedEvents awaitedEvents() {
		return new AwaitedEvents(this.settings.name(), this.endpoint::closedException);
	}

	// Make everything; whoever can learn of the queue pair finds its receives posted.
	void open(CallWatch watch) {
		Duration limit = this.runtime.callTimeout();
		InetAddress local = new HostLookUp(this.settings.name(), this.endpoint.address(),
				this.settings.resolveTimeout())
			.lookUp(this.settings.address(), 0)
			.getAddress();
		Integer tos = this.settings.tos();
		watch.during("rdma_create_id", limit, () -> this.gate
			.pass(() -> this.id.create(this.runtime.channel(), PortSpace.UDP, this.endpoint::onEvent)));
		if (tos != null) {
			watch.during("rdma_set_option", limit, () -> this.gate.pass(() -> this.id.setOption(CmIdOption.TOS, tos)));
		}
		watch.during("rdma_bind_addr", limit, () -> this.gate.pass(() -> bind(local)));
		watch.during("rdma_create_qp", "making the queue pair and its memory", limit,
				() -> this.gate.pass(() -> this.resources.create(this.id, local, this.runtime.devices(), this.gate,
						this.settings.completion().executor(this.runtime.handlerExecutor()))));
		this.settings.groups().forEach((group) -> this.memberships.join(group, watch));
		Integer port = this.settings.port();
		if (port != null) {
			this.service.open(new InetSocketAddress(local, port), this.resources.qpNum(), watch);
		}
	}

	// librdmacm binds to loopback and wildcard addresses without an error, and without a
	// device to make a queue pair on.
	private void bind(InetAddress local) {
		this.id.bind(new InetSocketAddress(local, 0));
		if (this.id.deviceName() == null) {
			throw new RdmaException("rdma_bind_addr", Errno.ENODEV.value());
		}
	}

	DatagramResources resources() {
		return this.resources;
	}

	MulticastMemberships memberships() {
		return this.memberships;
	}

	int port() {
		return this.service.port();
	}

	List<CmId> otherIds() {
		List<CmId> ids = new ArrayList<>();
		ids.add(this.serviceId);
		this.lookUps.forEach((lookUp) -> ids.add(lookUp.cmId()));
		return ids;
	}

	CompletableFuture<DatagramPeer> resolve(String host, int port) {
		PeerLookUp lookUp = new PeerLookUp(this.settings, this.gate, this.endpoint.statistics(), host, port,
				awaitedEvents());
		return begin("rdma_connect", Addresses.format(host, port), (watch) -> lookUp(lookUp, watch));
	}

	private DatagramPeer lookUp(PeerLookUp lookUp, CallWatch watch) {
		this.lookUps.add(lookUp);
		try {
			// A destroy shuts the gate before it cancels the look-ups that it finds.
			this.gate.requireOpen();
			InetSocketAddress local = this.id.localAddress();
			InetSocketAddress source = (local != null) ? new InetSocketAddress(local.getAddress(), 0) : null;
			DatagramTarget target = lookUp.run(this.runtime, source, watch);
			return new DatagramPeer(this.endpoint, DatagramPath.told(target.path()), target.qpNum(), target.qkey(),
					RoutingHeader.address(target.path().dgid()));
		}
		finally {
			this.lookUps.remove(lookUp);
		}
	}

	CompletableFuture<DatagramPeer> join(InetAddress group) {
		return begin("rdma_join_multicast", group.getHostAddress(), (watch) -> this.memberships.join(group, watch));
	}

	boolean leave(InetAddress group) {
		this.gate.requireOpen();
		if (!this.memberships.isJoined(group)) {
			return false;
		}
		AtomicBoolean left = new AtomicBoolean();
		// Not on the threads that wait for peers and groups, which may all be waiting.
		new WatchedCalls(this.runtime, this.runtime.acceptExecutor(), this.settings.name(), group.getHostAddress())
			.make("rdma_leave_multicast", (watch) -> left.set(this.memberships.leave(group, watch)));
		return left.get();
	}

	// Run something that waits for an answer. What depends on the future may block, and
	// so runs on the handler executor.
	private CompletableFuture<DatagramPeer> begin(String call, String address,
			Function<CallWatch, DatagramPeer> exchange) {
		CompletableFuture<DatagramPeer> future = new CompletableFuture<>();
		if (!this.exchanges.begin()) {
			future.completeExceptionally(this.endpoint.closedException());
			return future;
		}
		try {
			this.runtime.connectExecutor().execute(() -> run(call, address, exchange, future));
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			this.exchanges.end();
			future.completeExceptionally(this.endpoint.closedException());
		}
		return future;
	}

	private void run(String call, String address, Function<CallWatch, DatagramPeer> exchange,
			CompletableFuture<DatagramPeer> future) {
		long begin = System.nanoTime();
		this.exchanges.enter();
		CallWatch watch = new CallWatch(this.runtime, this.runtime.connectExecutor(), this.settings.name(), address,
				(failure) -> failed(future, begin, failure));
		try {
			DatagramPeer peer = exchange.apply(watch);
			if (!watch.isOverdue()) {
				ended(begin, null);
				this.runtime.handlerExecutor().execute(() -> future.complete(peer));
			}
		}
		catch (ConnectionClosedException ex) {
			if (!watch.isOverdue()) {
				this.runtime.handlerExecutor().execute(() -> future.completeExceptionally(ex));
			}
		}
		catch (RuntimeException | Error ex) {
			RdmaEndpointException failure = (ex instanceof RdmaEndpointException known) ? known
					: new RdmaEndpointException(this.settings.name(), address, call, Errno.EIO.value(),
							call + " failed: " + ex, ex);
			if (!watch.isOverdue()) {
				failed(future, begin, failure);
			}
		}
		finally {
			this.exchanges.end();
		}
	}

	private void failed(CompletableFuture<DatagramPeer> future, long begin, RdmaEndpointException failure) {
		ended(begin, failure);
		this.runtime.handlerExecutor().execute(() -> future.completeExceptionally(failure));
	}

	private void ended(long begin, @Nullable RdmaEndpointException error) {
		this.runtime.connectEnded(this.settings.name(), Duration.ofNanos(System.nanoTime() - begin), error);
	}

	// The listener is a member of its own: nothing else depends on its id, and nothing is
	// left for it if that cannot be destroyed. It is the last, for it waits for the gate,
	// and the other one ends what is under way.
	List<DestroyMember> members() {
		return List.of(member(), serviceMember());
	}

	private DestroyMember serviceMember() {
		Map<DestroyStepName, DestroyStep> steps = new EnumMap<>(DestroyStepName.class);
		steps.put(DestroyStepName.QUIESCE, this.gate.closing(this::closeGate));
		steps.put(DestroyStepName.DESTROY_LISTENER, call(this.serviceId::destroy));
		return new DestroyMember(this.serviceId.name(), false, steps);
	}

	private DestroyMember member() {
		Map<DestroyStepName, DestroyStep> steps = new EnumMap<>(DestroyStepName.class);
		steps.put(DestroyStepName.QUIESCE, this.gate.closing(this::quiesce));
		steps.put(DestroyStepName.LEAVE_MULTICAST, call(this.memberships::leaveAll));
		steps.put(DestroyStepName.AWAIT_DISCONNECTED, this.exchanges::awaitNone);
		steps.put(DestroyStepName.FLUSH, call(this::flush));
		steps.put(DestroyStepName.DRAIN, this.resources::drain);
		steps.put(DestroyStepName.DESTROY_QP, call(this.resources::destroyQueuePair));
		steps.put(DestroyStepName.DESTROY_AH, call(this.resources::destroyAddressHandles));
		steps.put(DestroyStepName.DEREG_MR, call(this.resources::releaseMemory));
		steps.put(DestroyStepName.DESTROY_CQ, call(this.resources::destroyQueue));
		steps.put(DestroyStepName.RELEASE_DEVICE, call(this.resources::releaseDevice));
		steps.put(DestroyStepName.DESTROY_ID, call(this::destroyId));
		return new DestroyMember(this.settings.name(), false, steps);
	}

	private static DestroyStep call(Runnable call) {
		return (deadline) -> {
			call.run();
			return true;
		};
	}

	private void closeGate() {
		this.gate.shut();
		this.gate.awaitCall();
	}

	private void quiesce() {
		this.gate.shut();
		this.exchanges.close();
		this.memberships.cancel();
		this.lookUps.forEach(PeerLookUp::cancel);
		this.gate.awaitCall();
		this.resources.stopPosting();
	}

	private void flush() {
		if (this.id.state() != CmIdState.DEVICE_REMOVED) {
			this.resources.flush();
		}
	}

	private void destroyId() {
		this.id.destroy();
		int left = this.exchanges.count();
		if (left > 0) {
			throw new RdmaException("rdma_destroy_id", Errno.ETIMEDOUT.value(),
					left + " CM ids that ask or answer peers are still inside of "
							+ String.join(", ", this.exchanges.giveUp()) + " (ETIMEDOUT)");
		}
	}

	// Tell those whose datagram never completed.
	void destroyed() {
		this.resources.tellWaiters(this.endpoint.closedException());
	}

}
