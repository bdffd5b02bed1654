package io.github.rdmaboot.endpoint;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

import io.github.rdmaboot.cm.Addresses;
import io.github.rdmaboot.cm.CmEvent;
import io.github.rdmaboot.cm.CmIdState;
import io.github.rdmaboot.cm.OwnedCmId;
import io.github.rdmaboot.endpoint.destroy.DestroyMember;
import io.github.rdmaboot.endpoint.destroy.DestroyStep;
import io.github.rdmaboot.endpoint.destroy.DestroyStepName;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.RdmaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Server: a CM id that listens, and the connections that were accepted on it.
 */
public final class RdmaServer extends ConnectedEndpoint {

	private static final Logger logger = LoggerFactory.getLogger(RdmaServer.class);

	private final ServerSettings settings;

	private final @Nullable SharedReceives sharedReceives;

	// Of the last start.
	private volatile SetupGate gate = new SetupGate(this::stoppedException);

	private volatile Consumer<RdmaConnection> connectionListener = (connection) -> {
	};

	RdmaServer(RdmaEndpoints registry, ServerSettings settings) {
		super(registry, settings, "RDMA server", settings.relisten());
		this.settings = settings;
		int shared = settings.sharedReceiveQueueSize();
		this.sharedReceives = (shared > 0)
				? new SharedReceives(shared, settings.memory(), settings.completion().policy(), statistics()) : null;
	}

	/**
	 * Return the settings.
	 * @return the settings
	 */
	public ServerSettings settings() {
		return this.settings;
	}

	/**
	 * Return the port that the server listens on.
	 * @return the port, which is an ephemeral one if 0 is configured, or 0 while it does
	 * not listen
	 */
	public int port() {
		InetSocketAddress address = cmId().localAddress();
		return (address != null && cmId().state() == CmIdState.LISTENING) ? address.getPort() : 0;
	}

	/**
	 * Set what learns of connections that were established, on the endpoint's handler
	 * executor. The first message of a connection may be handled before or meanwhile.
	 * @param listener the listener
	 */
	public void onConnection(Consumer<RdmaConnection> listener) {
		this.connectionListener = listener;
	}

	@Override
	public String address() {
		return Addresses.format(this.settings.address(), this.settings.port());
	}

	@Override
	Runnable bringUp(EndpointStart start) {
		SetupGate gate = new SetupGate(this::stoppedException);
		this.gate = gate;
		return () -> start.make("rdma_listen", (watch) -> listen(start, gate, watch));
	}

	private void listen(EndpointStart start, SetupGate gate, CallWatch watch) {
		EndpointRuntime runtime = start.runtime();
		Duration limit = runtime.callTimeout();
		start.requireCpu(this.settings.completion(), watch);
		InetSocketAddress address = bindAddress(limit);
		OwnedCmId id = ownedCmId();
		try {
			watch.during("rdma_create_id", limit, () -> gate
				.pass(() -> id.create(runtime.channel(), PortSpace.TCP, (from, event) -> onEvent(runtime, event))));
			watch.during("rdma_bind_addr", limit, () -> gate.pass(() -> id.bind(address)));
			watch.during("rdma_listen", limit, () -> gate.pass(() -> id.listen(this.settings.backlog())));
		}
		catch (RdmaException ex) {
			throw new RdmaEndpointException(name(), address(), ex);
		}
		start.whileInForce(() -> listens(runtime));
		start.requireInForce();
		logger.info("RDMA server '{}' listens on {}", name(), Addresses.format(cmId().localAddress()));
	}

	private ConnectionClosedException stoppedException() {
		return new ConnectionClosedException("RDMA server '" + name() + "' was stopped while it started", null);
	}

	private InetSocketAddress bindAddress(Duration limit) {
		if (this.settings.address().equals("*")) {
			return new InetSocketAddress(this.settings.port());
		}
		return new HostLookUp(name(), address(), limit).lookUp(this.settings.address(), this.settings.port());
	}

	@Override
	List<DestroyMember> ownMembers() {
		SetupGate gate = this.gate;
		Map<DestroyStepName, DestroyStep> steps = new EnumMap<>(DestroyStepName.class);
		steps.put(DestroyStepName.QUIESCE, gate.closing(gate::awaitCall));
		steps.put(DestroyStepName.DESTROY_LISTENER, (deadline) -> {
			ownedCmId().destroy();
			return true;
		});
		return List.of(new DestroyMember(name(), false, steps));
	}

	@Override
	void stopping(EndpointRuntime runtime) {
		this.gate.shut();
	}

	// The id goes on listening, for without it peers would not hear why they are
	// rejected.
	@Override
	void quiesce() {
		synchronized (this) {
			if (state() != EndpointState.UP) {
				return;
			}
			move(EndpointState.QUIESCED);
		}
		logger.info("RDMA server '{}' rejects connection requests from now on; connections that go on: {}", name(),
				connections().size());
	}

	// The listener was not touched by what was stuck, if it still exists.
	@Override
	void recovered() {
		EndpointRuntime runtime = runtime();
		if (runtime != null && cmId().state() == CmIdState.LISTENING) {
			listens(runtime);
		}
	}

	private void listens(EndpointRuntime runtime) {
		up();
		if (runtime.isQuiesced()) {
			quiesce();
		}
	}

	private void onEvent(EndpointRuntime runtime, CmEvent event) {
		statistics().event(event.type(), event.status());
		OwnedCmId child = event.child();
		if (child != null) {
			request(runtime, child, event);
		}
		else if (event.type() == CmEventType.DEVICE_REMOVAL) {
			deviceGoes(runtime, event);
		}
	}

	private void request(EndpointRuntime runtime, OwnedCmId child, CmEvent event) {
		if (runtime.isQuiesced()) {
			logger.debug("RDMA server '{}' is going away and rejects a connection request", name());
			runtime.destroyOrphan(child);
			return;
		}
		long begin = System.nanoTime();
		RdmaConnection connection = addConnection((current, number) -> new RdmaConnection(this, number, child, runtime,
				(childEvent) -> answered(runtime, begin, childEvent), () -> {
				}));
		if (connection == null) {
			logger.debug("RDMA server '{}' is being destroyed and rejects a connection request", name());
			runtime.destroyOrphan(child);
			return;
		}
		child.handleEvents(connection::onEvent);
		try {
			runtime.acceptExecutor().execute(new AcceptSequence(this, runtime, connection, event, begin));
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			connection.end(DestroyTrigger.DISCONNECT, new IllegalStateException("No thread to accept with: " + ex, ex));
		}
	}

	private void answered(EndpointRuntime runtime, long begin, CmEvent event) {
		if (event.type() == CmEventType.ESTABLISHED) {
			Duration took = Duration.ofNanos(System.nanoTime() - begin);
			try {
				// Not on this thread: a listener that destroys would wait for its events.
				runtime.acceptExecutor().execute(() -> runtime.connectEnded(name(), took, null));
			}
			catch (RejectedExecutionException | OutOfMemoryError ex) {
				logger.debug("RDMA server '{}' accepted a connection, of which no thread can tell", name(), ex);
			}
		}
	}

	@Override
	void established(RdmaConnection connection) {
		EndpointRuntime runtime = runtime();
		if (runtime != null) {
			runtime.handlerExecutor().execute(() -> this.connectionListener.accept(connection));
		}
	}

	@Override
	void ended(RdmaConnection connection, DestroyTrigger trigger, @Nullable RuntimeException cause) {
		if (cause != null) {
			logger.info("{} ended: {}", connection, cause.getMessage());
		}
		else {
			logger.debug("{} ended, {}", connection, trigger.tag());
		}
	}

	@Override
	@Nullable SharedReceives sharedReceives() {
		return this.sharedReceives;
	}

	@Override
	public String toString() {
		return "RDMA server '" + name() + "' on " + address() + " (" + state() + ")";
	}

}
