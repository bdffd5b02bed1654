package io.github.rdmaboot.provider.loopback;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import io.github.rdmaboot.provider.ConnectionEce;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * CM id of the loopback: what kernel and library keep about one. A plain record of state;
 * the rules are in the classes that work on it. Guarded by the fabric's lock.
 */
final class LoopbackCmId {

	private final LoopbackProcess process;

	private final PortSpace portSpace;

	/** Handle, 0 until the table gave one. */
	long handle;

	EventChannel channel;

	State state = State.IDLE;

	Exchange exchange = Exchange.NONE;

	@Nullable InetSocketAddress local;

	/**
	 * Set from the binding that a resolution brings until that succeeds: only then does
	 * the library ask the kernel for the address.
	 */
	boolean addressUnreported;

	@Nullable InetSocketAddress peer;

	@Nullable DeviceContext device;

	@Nullable LoopbackQp qp;

	@Nullable LoopbackSrq srq;

	@Nullable LoopbackConnection connection;

	/** Listener that the request came to, for a child. */
	@Nullable LoopbackCmId listener;

	/** Children whose request was not fetched yet, for a listener. */
	final Set<LoopbackCmId> unfetched = new LinkedHashSet<>(0);

	int backlog;

	boolean reuseAddress;

	boolean addressFamilyOnly;

	int ackTimeout;

	@Nullable ConnectionEce localEce;

	/** What the library has fetched of the peer. */
	@Nullable ConnectionEce remoteEce;

	/** Events of this id that wait in the channel. */
	final Set<QueuedEvent> queued = new LinkedHashSet<>(0);

	final Map<InetAddress, MulticastMembership> memberships = new LinkedHashMap<>(0);

	/** Set when a connection failed inside the library, which then swallows the rest. */
	boolean failedInLibrary;

	/** Set when the channel was destroyed before the id: the kernel's part is gone. */
	boolean kernelPartGone;

	/**
	 * Set while the kernel repeats a message of an exchange that the id itself has
	 * rejected: it is not destroyed before that was given up.
	 */
	@Nullable AckCounter abandonedMessage;

	FabricTimer.@Nullable Task retransmission;

	FabricTimer.@Nullable Task timeWait;

	/** Events that this id owns. */
	final AckCounter events;

	LoopbackCmId(LoopbackProcess process, EventChannel channel, PortSpace portSpace) {
		this.process = process;
		this.channel = channel;
		this.portSpace = portSpace;
		this.events = new AckCounter(process.fabric().lock());
	}

	LoopbackProcess process() {
		return this.process;
	}

	PortSpace portSpace() {
		return this.portSpace;
	}

	boolean isDatagram() {
		return this.portSpace == PortSpace.UDP || this.portSpace == PortSpace.IPOIB;
	}

	@Nullable InetAddress localAddress() {
		InetSocketAddress address = this.local;
		return (address != null) ? FabricAddresses.withoutScope(address.getAddress()) : null;
	}

	@Nullable InetAddress peerAddress() {
		InetSocketAddress address = this.peer;
		return (address != null) ? FabricAddresses.withoutScope(address.getAddress()) : null;
	}

	/**
	 * Check that the device is there and the id in a state.
	 * @param call the call that asks
	 * @param legal the states in which it is legal
	 */
	void require(String call, State... legal) {
		if (this.kernelPartGone) {
			throw new RdmaException(call, Errno.EBADF.value());
		}
		if (this.state == State.DEVICE_REMOVAL) {
			throw new RdmaException(call, Errno.ENXIO.value());
		}
		for (State candidate : legal) {
			if (this.state == candidate) {
				return;
			}
		}
		throw new RdmaException(call, Errno.EINVAL.value());
	}

	/**
	 * Return the device context, for a call that crashes in C when there is none.
	 * @param call the call that asks
	 * @return the context
	 */
	DeviceContext requireDevice(String call) {
		DeviceContext context = this.device;
		if (context == null) {
			throw new IllegalStateException(call + " was called for an id that is not bound to a device: "
					+ "in C this is a null pointer and may crash the process");
		}
		return context;
	}

	void cancelTimers() {
		FabricTimer timer = this.process.fabric().timer();
		timer.cancel(this.retransmission);
		timer.cancel(this.timeWait);
		this.retransmission = null;
		this.timeWait = null;
		forgetAbandonedMessage();
	}

	void forgetAbandonedMessage() {
		AckCounter abandoned = this.abandonedMessage;
		if (abandoned != null) {
			this.abandonedMessage = null;
			abandoned.acknowledged(1);
		}
	}

	/**
	 * State of the id, as the kernel's RDMA CM keeps it.
	 */
	enum State {

		IDLE, ADDR_BOUND, LISTEN, ADDR_QUERY, ADDR_RESOLVED, ROUTE_QUERY, ROUTE_RESOLVED, CONNECT, DISCONNECT,
		DEVICE_REMOVAL

	}

	/**
	 * Where the exchange of connection messages stands, as the kernel's IB CM keeps it.
	 */
	enum Exchange {

		NONE, REQUEST_SENT, REQUEST_RECEIVED, REPLY_SENT, REPLY_RECEIVED, ESTABLISHED, DISCONNECT_SENT,
		DISCONNECT_RECEIVED, TIME_WAIT, FAILED

	}

}
