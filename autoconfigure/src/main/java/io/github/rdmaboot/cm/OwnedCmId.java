package io.github.rdmaboot.cm;

import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.Set;

import io.github.rdmaboot.provider.CmIdOption;
import io.github.rdmaboot.provider.ConnectionParameters;
import io.github.rdmaboot.provider.CreatedQueuePair;
import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.QueuePairInit;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import org.jspecify.annotations.Nullable;

/**
 * CM id in the hands of the endpoint that owns it: with the calls that change it. Refuses
 * what would crash or hang in C.
 * <p>
 * The guard serialises the calls with each other and with the destroy; the state is a
 * single atomic value that the channel's thread moves without ever waiting for a call.
 */
public final class OwnedCmId extends CmId {

	private static final Set<CmIdState> CREATE_STATES = EnumSet.of(CmIdState.NONE, CmIdState.LEAKED);

	private final CmIdGuard guard = new CmIdGuard(this);

	// Guarded by the channel, which fetches one event at a time.
	private long children;

	/**
	 * Create an empty slot.
	 * @param name the name for messages
	 */
	public OwnedCmId(String name) {
		super(name);
	}

	static OwnedCmId requested(EventChannel channel, @Nullable OwnedCmId listener, long handle) {
		String name = (listener != null) ? listener.name() + "#" + ++listener.children : "orphan";
		OwnedCmId child = new OwnedCmId(name);
		child.generation = 1;
		boolean datagram = listener != null && listener.current.datagram;
		child.current = new NativeCmId(channel, handle, datagram, CmIdState.REQUESTED, null);
		try {
			child.current.readAddresses();
		}
		catch (RuntimeException ex) {
			// The id must be known all the same, or nobody could ever destroy it.
			child.lastError = ex;
		}
		catch (Error ex) {
			child.lastError = new IllegalStateException("The addresses of '" + name + "' could not be read: " + ex, ex);
		}
		return child;
	}

	/**
	 * Create the native id; stands for {@code rdma_create_id}.
	 * @param channel the event channel that reports its events
	 * @param portSpace the port space
	 * @param handler takes its events
	 * @throws RdmaException if the call fails
	 * @throws IllegalStateException if a native id exists
	 */
	public void create(EventChannel channel, PortSpace portSpace, CmEventHandler handler) {
		this.guard.lock();
		try {
			this.guard.require("rdma_create_id", CREATE_STATES);
			long handle = channel.create(this, portSpace);
			this.current = new NativeCmId(channel, handle, portSpace == PortSpace.UDP, CmIdState.IDLE, handler);
			long before = this.generation;
			this.generation = before + 1;
			this.lastError = null;
		}
		catch (RdmaException ex) {
			this.lastError = ex;
			throw ex;
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * Take the events of an id that a connection request brought.
	 * @param handler takes its events
	 */
	public void handleEvents(CmEventHandler handler) {
		this.current.handler = handler;
	}

	/**
	 * Bind to a local address; stands for {@code rdma_bind_addr}.
	 * @param address the local address; port 0 takes an ephemeral port
	 * @throws RdmaException on EADDRINUSE, EADDRNOTAVAIL, ENODEV, EACCES, EAFNOSUPPORT
	 */
	public void bind(InetSocketAddress address) {
		this.guard.call("rdma_bind_addr", EnumSet.of(CmIdState.IDLE), CmIdState.BOUND,
				(handle) -> provider().rdmaBindAddr(handle, address));
	}

	/**
	 * Listen for connection requests; stands for {@code rdma_listen}.
	 * @param backlog how many requests may wait to be fetched; 0 takes the system's
	 * maximum
	 * @throws RdmaException on EADDRINUSE
	 */
	public void listen(int backlog) {
		this.guard.call("rdma_listen", EnumSet.of(CmIdState.BOUND), CmIdState.LISTENING,
				(handle) -> provider().rdmaListen(handle, backlog));
	}

	/**
	 * Begin to resolve a destination; stands for {@code rdma_resolve_addr}.
	 * @param source the local address or {@code null}
	 * @param destination the destination
	 * @param timeoutMillis the limit in milliseconds
	 * @throws RdmaException on ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL, ENODEV
	 */
	public void resolveAddr(@Nullable InetSocketAddress source, InetSocketAddress destination, int timeoutMillis) {
		this.guard.call("rdma_resolve_addr", EnumSet.of(CmIdState.IDLE, CmIdState.BOUND), CmIdState.RESOLVING_ADDRESS,
				(handle) -> provider().rdmaResolveAddr(handle, source, destination, timeoutMillis));
	}

	/**
	 * Begin to resolve the route; stands for {@code rdma_resolve_route}.
	 * @param timeoutMillis the limit in milliseconds, from 1
	 * @throws RdmaException if the call fails
	 */
	public void resolveRoute(int timeoutMillis) {
		this.guard.call("rdma_resolve_route", EnumSet.of(CmIdState.ADDRESS_RESOLVED), CmIdState.RESOLVING_ROUTE,
				(handle) -> {
					this.guard.requireDevice("rdma_resolve_route", handle);
					provider().rdmaResolveRoute(handle, timeoutMillis);
				});
	}

	/**
	 * Set an option; stands for {@code rdma_set_option}.
	 * @param option the option
	 * @param value the value
	 * @throws RdmaException on EINVAL, ENOSYS
	 */
	public void setOption(CmIdOption option, int value) {
		this.guard.lock();
		try {
			this.guard.require("rdma_set_option", EnumSet.complementOf(
					EnumSet.of(CmIdState.NONE, CmIdState.DESTROYING, CmIdState.LEAKED, CmIdState.DEVICE_REMOVED)));
			this.guard.remember(() -> {
				provider().rdmaSetOption(this.current.handle, option, value);
				return 0L;
			});
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * Connect, or ask a datagram service for its queue pair; stands for
	 * {@code rdma_connect}.
	 * @param parameters the connection parameters
	 * @throws RdmaException on EINVAL for private data or depths that the device does not
	 * take
	 * @throws IllegalStateException without a queue pair, which only a connection needs
	 */
	public void connect(ConnectionParameters parameters) {
		this.guard.call("rdma_connect", EnumSet.of(CmIdState.ROUTE_RESOLVED), CmIdState.CONNECTING, (handle) -> {
			this.guard.requireQueuePairUnlessDatagram("rdma_connect");
			provider().rdmaConnect(handle, parameters);
			this.current.connectionStarted = true;
		});
	}

	/**
	 * Accept a connection request, or tell who asks for a datagram service the queue pair
	 * number in the parameters; stands for {@code rdma_accept}.
	 * @param parameters the connection parameters
	 * @throws RdmaException on EINVAL when the peer gave up
	 * @throws IllegalStateException without a queue pair, which only a connection needs
	 */
	public void accept(ConnectionParameters parameters) {
		this.guard.call("rdma_accept", EnumSet.of(CmIdState.REQUESTED), CmIdState.ACCEPTING, (handle) -> {
			this.guard.requireQueuePairUnlessDatagram("rdma_accept");
			provider().rdmaAccept(handle, parameters);
			this.current.connectionStarted = true;
		});
	}

	/**
	 * Reject a connection request; stands for {@code rdma_reject}.
	 * @param reason bytes for the peer
	 * @throws RdmaException on EINVAL when the peer gave up
	 */
	public void reject(byte[] reason) {
		this.guard.call("rdma_reject", EnumSet.of(CmIdState.REQUESTED), CmIdState.FAILED,
				(handle) -> provider().rdmaReject(handle, reason));
	}

	/**
	 * Disconnect if a connection was ever started, otherwise do nothing; stands for
	 * {@code rdma_disconnect}.
	 * @return whether the call was made
	 * @throws RdmaException if the call fails for another reason than that there is no
	 * connection (EINVAL) or no device (ENXIO) any more
	 */
	public boolean disconnect() {
		return CmIdEnd.disconnect(this, this.guard);
	}

	/**
	 * Create the queue pair; stands for {@code rdma_create_qp}.
	 * @param pd the protection domain
	 * @param init how to create it
	 * @return the queue pair
	 * @throws RdmaException on EINVAL, ENOMEM
	 */
	public CreatedQueuePair createQueuePair(long pd, QueuePairInit init) {
		return queuePair().create(pd, init);
	}

	/**
	 * Destroy the queue pair; stands for {@code rdma_destroy_qp}.
	 * @throws RdmaException if the call fails; the queue pair is then left to the end of
	 * the process
	 * @throws IllegalStateException if there is none
	 */
	public void destroyQueuePair() {
		queuePair().destroy();
	}

	/**
	 * Begin to join a multicast group; ends in {@code MULTICAST_JOIN} or
	 * {@code MULTICAST_ERROR}; stands for {@code rdma_join_multicast}.
	 * @param group the group's address
	 * @throws RdmaException on EINVAL, ENOMEM
	 * @throws IllegalStateException without a datagram queue pair
	 */
	public void joinMulticast(InetSocketAddress group) {
		queuePair().join(group);
	}

	/**
	 * Leave a multicast group, also one whose join has not been answered; stands for
	 * {@code rdma_leave_multicast}. Never entered while an event of the id is
	 * un-acknowledged, since it would block for ever.
	 * @param group the group's address
	 * @throws RdmaException on EADDRNOTAVAIL when not joined
	 * @throws IllegalStateException without a native id
	 */
	public void leaveMulticast(InetSocketAddress group) {
		queuePair().leave(group);
	}

	/**
	 * Destroy the native id; stands for {@code rdma_destroy_id}. Does nothing if there is
	 * none. Never entered while an event of the id is un-acknowledged, since it would
	 * block for ever.
	 * @return whether there was a native id to destroy
	 * @throws RdmaException if the call fails; the id is then {@link CmIdState#LEAKED}
	 * @throws IllegalStateException if the id still has its queue pair
	 */
	public boolean destroy() {
		return CmIdEnd.destroy(this, this.guard);
	}

	// Take the state that an event of a native id of this slot leads to, and hand it on.
	// Returns whether a handler took it.
	boolean onEvent(NativeCmId id, CmEvent event) {
		id.take(event.type());
		CmEventHandler handler = id.handler;
		if (handler == null) {
			return false;
		}
		handler.onEvent(this, event);
		return true;
	}

	/**
	 * Return the device context that the id is bound to.
	 * @return the handle
	 * @throws IllegalStateException if the id is not bound to a device
	 */
	public long deviceContext() {
		this.guard.lock();
		try {
			if (!this.current.state().isLive()) {
				throw new IllegalStateException(this.guard.describe("rdma_cm_id.verbs"));
			}
			return this.guard.requireDevice("rdma_cm_id.verbs", this.current.handle);
		}
		finally {
			this.guard.unlock();
		}
	}

	/**
	 * Return the port of the device that the id is bound to.
	 * @return the port from 1
	 * @throws IllegalStateException if the id is not bound to a device
	 */
	public int portNum() {
		this.guard.lock();
		try {
			if (!this.current.state().isLive()) {
				throw new IllegalStateException(this.guard.describe("rdma_cm_id.port_num"));
			}
			this.guard.requireDevice("rdma_cm_id.port_num", this.current.handle);
			return provider().portNumOf(this.current.handle);
		}
		finally {
			this.guard.unlock();
		}
	}

	// Made for each call: most ids never have a queue pair.
	private CmIdQueuePair queuePair() {
		return new CmIdQueuePair(this, this.guard);
	}

	RdmaProvider provider() {
		return this.current.channel().provider();
	}

}
