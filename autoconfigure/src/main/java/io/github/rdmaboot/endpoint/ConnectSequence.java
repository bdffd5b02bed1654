package io.github.rdmaboot.endpoint;

import java.net.InetSocketAddress;
import java.time.Duration;

import io.github.rdmaboot.cm.Addresses;
import io.github.rdmaboot.cm.CmEvent;
import io.github.rdmaboot.cm.OwnedCmId;
import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.ConnectionParameters;
import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.RdmaException;

/**
 * The steps by which a client connects, each with its own limit. Run by one thread;
 * events come in from the event channel's thread.
 */
final class ConnectSequence {

	/** Lets the kernel's own report of a failed resolution come first. */
	private static final Duration KERNEL_HEAD_START = Duration.ofMillis(500);

	private final ClientSettings settings;

	private final AwaitedEvents events;

	ConnectSequence(ClientSettings settings) {
		this.settings = settings;
		this.events = new AwaitedEvents(settings.name(), () -> new ConnectionClosedException(
				"RDMA client '" + settings.name() + "' was stopped while connecting", null));
	}

	void onEvent(CmEvent event) {
		this.events.onEvent(event);
	}

	/**
	 * End the wait for an event, because the connection is being destroyed.
	 */
	void cancel() {
		this.events.cancel();
	}

	void run(RdmaConnection connection, EndpointRuntime runtime, CallWatch watch) {
		OwnedCmId id = connection.ownedCmId();
		Duration resolveLimit = this.settings.resolveTimeout().plus(KERNEL_HEAD_START);
		Duration connectLimit = this.settings.connectTimeout();
		try {
			HostLookUp hosts = new HostLookUp(this.settings.name(), address(), this.settings.resolveTimeout());
			InetSocketAddress destination = hosts.lookUp(this.settings.address(), this.settings.port());
			String localAddress = this.settings.localAddress();
			InetSocketAddress source = (localAddress != null) ? hosts.lookUp(localAddress, 0) : null;
			int resolveMillis = (int) Math.max(1, this.settings.resolveTimeout().toMillis());
			watch.during("rdma_resolve_addr", resolveLimit, () -> connection.whileSettingUp(() -> {
				id.create(runtime.channel(), PortSpace.TCP, connection::onEvent);
				this.settings.connection().applyOptions(id);
				id.resolveAddr(source, destination, resolveMillis);
			}));
			await("rdma_resolve_addr", CmEventType.ADDR_RESOLVED, Deadline.after(resolveLimit), resolveLimit);
			watch.during("rdma_resolve_route", resolveLimit,
					() -> connection.whileSettingUp(() -> id.resolveRoute(resolveMillis)));
			await("rdma_resolve_route", CmEventType.ROUTE_RESOLVED, Deadline.after(resolveLimit), resolveLimit);
			watch.during("rdma_create_qp", "making the queue pair and its memory", connectLimit, connection::setUp);
			// On iWARP the call waits for the peer's machine, and then the event for its
			// application: both have one limit.
			Deadline connected = Deadline.after(connectLimit);
			watch.during("rdma_connect", connectLimit, () -> connection.whileSettingUp(() -> connect(id)));
			await("rdma_connect", CmEventType.ESTABLISHED, connected, connectLimit);
			watch.during("ibv_modify_qp", connectLimit, connection::tune);
		}
		catch (RdmaEndpointException ex) {
			throw ex;
		}
		catch (RdmaException ex) {
			throw new RdmaEndpointException(this.settings.name(), address(), ex);
		}
	}

	private void connect(OwnedCmId id) {
		ConnectionSettings parameters = this.settings.connection();
		id.connect(new ConnectionParameters(parameters.privateData(), parameters.responderResources(),
				parameters.initiatorDepth(), false, parameters.retryCount(), parameters.rnrRetryCount(), false, 0));
	}

	private void await(String call, CmEventType expected, Deadline deadline, Duration limit) {
		this.events.await(call, address(), expected, (event) -> true, deadline, limit);
	}

	private String address() {
		return Addresses.format(this.settings.address(), this.settings.port());
	}

}
