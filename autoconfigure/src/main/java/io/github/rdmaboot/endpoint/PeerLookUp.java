package io.github.rdmaboot.endpoint;

import java.net.InetSocketAddress;
import java.time.Duration;

import io.github.rdmaboot.cm.Addresses;
import io.github.rdmaboot.cm.CmEvent;
import io.github.rdmaboot.cm.CmId;
import io.github.rdmaboot.cm.DatagramTarget;
import io.github.rdmaboot.cm.OwnedCmId;
import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.CmIdOption;
import io.github.rdmaboot.provider.ConnectionParameters;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.RdmaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks a datagram service for its queue pair, with a CM id of its own that lives as long
 * as this takes. Run by one thread; events come in from the event channel's thread.
 */
final class PeerLookUp {

	private static final Logger logger = LoggerFactory.getLogger(PeerLookUp.class);

	/** Lets the kernel's own report of a failed resolution come first. */
	private static final Duration KERNEL_HEAD_START = Duration.ofMillis(500);

	private static final ConnectionParameters NO_PARAMETERS = new ConnectionParameters(new byte[0], 0, 0, false, 0, 0,
			false, 0);

	private final DatagramSettings settings;

	private final SetupGate gate;

	private final EndpointStatistics statistics;

	private final String host;

	private final int port;

	private final OwnedCmId id;

	private final AwaitedEvents events;

	PeerLookUp(DatagramSettings settings, SetupGate gate, EndpointStatistics statistics, String host, int port,
			AwaitedEvents events) {
		this.settings = settings;
		this.gate = gate;
		this.statistics = statistics;
		this.host = host;
		this.port = port;
		this.id = new OwnedCmId(settings.name() + ".resolve");
		this.events = events;
	}

	CmId cmId() {
		return this.id;
	}

	void cancel() {
		this.events.cancel();
	}

	DatagramTarget run(EndpointRuntime runtime, @Nullable InetSocketAddress source, CallWatch watch) {
		try {
			return ask(runtime, source, watch);
		}
		catch (RdmaEndpointException ex) {
			throw ex;
		}
		catch (RdmaException ex) {
			throw new RdmaEndpointException(this.settings.name(), address(), ex);
		}
		finally {
			watch.watch("rdma_destroy_id", "destroying the id that asked", runtime.callTimeout(), this::destroyId);
		}
	}

	private DatagramTarget ask(EndpointRuntime runtime, @Nullable InetSocketAddress source, CallWatch watch) {
		Duration resolveTimeout = this.settings.resolveTimeout();
		int resolveMillis = (int) Math.max(1, resolveTimeout.toMillis());
		Duration patience = resolveTimeout.plus(KERNEL_HEAD_START);
		InetSocketAddress destination = new HostLookUp(this.settings.name(), address(), resolveTimeout)
			.lookUp(this.host, this.port);
		this.gate.requireOpen();
		watch.during("rdma_resolve_addr", patience, () -> {
			this.id.create(runtime.channel(), PortSpace.UDP, this::onEvent);
			Integer tos = this.settings.tos();
			if (tos != null) {
				this.id.setOption(CmIdOption.TOS, tos);
			}
			this.gate.requireOpen();
			this.id.resolveAddr(source, destination, resolveMillis);
		});
		await("rdma_resolve_addr", CmEventType.ADDR_RESOLVED, patience);
		this.gate.requireOpen();
		watch.during("rdma_resolve_route", patience, () -> this.id.resolveRoute(resolveMillis));
		await("rdma_resolve_route", CmEventType.ROUTE_RESOLVED, patience);
		this.gate.requireOpen();
		watch.during("rdma_connect", this.settings.connectTimeout(), () -> this.id.connect(NO_PARAMETERS));
		DatagramTarget target = await("rdma_connect", CmEventType.ESTABLISHED, this.settings.connectTimeout()).target();
		if (target == null) {
			throw new RdmaEndpointException(this.settings.name(), address(), "rdma_get_cm_event", Errno.EPROTO.value(),
					"the answer of the service names no path to it (EPROTO)", null);
		}
		return target;
	}

	private CmEvent await(String call, CmEventType expected, Duration limit) {
		return this.events.await(call, address(), expected, (event) -> true, limit);
	}

	private void onEvent(CmId from, CmEvent event) {
		this.statistics.event(event.type(), event.status());
		this.events.onEvent(event);
	}

	private void destroyId() {
		try {
			this.id.destroy();
		}
		catch (RuntimeException | Error ex) {
			logger.warn("{} could not be destroyed", this.id, ex);
		}
	}

	private String address() {
		return Addresses.format(this.host, this.port);
	}

	@Override
	public String toString() {
		return "look-up of " + address() + " by RDMA datagram endpoint '" + this.settings.name() + "'";
	}

}
