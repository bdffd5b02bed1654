package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.github.rdmaboot.cm.Addresses;
import io.github.rdmaboot.cm.CmEvent;
import io.github.rdmaboot.cm.CmId;
import io.github.rdmaboot.endpoint.destroy.DestroyMember;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.WorkRequestOpcode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Datagram endpoint: one queue pair that exchanges datagrams with any number of peers and
 * multicast groups, without connections. A datagram arrives once or not at all: it is
 * lost without an error when the network drops it, when the peer is gone or when the peer
 * has no buffer posted, and datagrams may overtake each other. The size of one is bounded
 * by the path MTU.
 */
public final class RdmaDatagramEndpoint extends ManagedEndpoint {

	private static final Logger logger = LoggerFactory.getLogger(RdmaDatagramEndpoint.class);

	private final DatagramSettings settings;

	private volatile @Nullable DatagramSession session;

	private volatile @Nullable DatagramHandler handler;

	RdmaDatagramEndpoint(RdmaEndpoints registry, DatagramSettings settings) {
		super(registry, settings.name(), "RDMA datagram endpoint", settings.relisten());
		this.settings = settings;
	}

	/**
	 * Return the settings.
	 * @return the settings
	 */
	public DatagramSettings settings() {
		return this.settings;
	}

	/**
	 * Return the port on which peers ask for the queue pair.
	 * @return the port, which is an ephemeral one if 0 is configured, or 0 while nobody
	 * can ask
	 */
	public int port() {
		DatagramSession session = this.session;
		return (session != null) ? session.port() : 0;
	}

	/**
	 * Return the size of the largest datagram that can be sent: the MTU of the device's
	 * port.
	 * @return the size in bytes, from 256 to 4096, or 0 while the endpoint is not started
	 */
	public int maxMessageSize() {
		DatagramSession session = this.session;
		return (session != null) ? session.resources().mtu() : 0;
	}

	/**
	 * Return how many address handles exist at present.
	 * @return the count
	 */
	public int addressHandles() {
		DatagramSession session = this.session;
		return (session != null) ? session.resources().addressHandles() : 0;
	}

	/**
	 * Set what takes the datagrams that arrive. Until then they stay in the buffers, and
	 * are lost when those are full.
	 * @param handler the handler
	 */
	public void onDatagram(DatagramHandler handler) {
		this.handler = handler;
		DatagramSession session = this.session;
		if (session != null) {
			session.resources().serve();
		}
	}

	@Nullable DatagramHandler handler() {
		return this.handler;
	}

	/**
	 * Ask a peer for its queue pair; stands for {@code rdma_resolve_addr},
	 * {@code rdma_resolve_route} and {@code rdma_connect}. A peer that was started anew
	 * has another queue pair and has to be asked again.
	 * @param host the address or host name of the peer
	 * @param port the port on which it answers, 1 to 65535
	 * @return completes with the peer, and exceptionally with a
	 * {@link RdmaEndpointException}: ECONNREFUSED if there is no datagram service on the
	 * port, ETIMEDOUT if there is no answer in time
	 */
	public CompletableFuture<DatagramPeer> resolve(String host, int port) {
		DatagramSession session = this.session;
		return (session != null) ? session.resolve(host, port) : CompletableFuture.failedFuture(closedException());
	}

	/**
	 * Join a multicast group, to receive what is sent to it and to send to it; stands for
	 * {@code rdma_join_multicast}.
	 * @param group the group's address
	 * @return completes with the group to send to, at once if it was joined before, and
	 * exceptionally with a {@link RdmaEndpointException}
	 * @throws IllegalArgumentException if it is not the address of a group
	 */
	public CompletableFuture<DatagramPeer> join(InetAddress group) {
		if (!group.isMulticastAddress()) {
			throw new IllegalArgumentException(group.getHostAddress() + " is not the address of a multicast group");
		}
		DatagramSession session = this.session;
		return (session != null) ? session.join(group) : CompletableFuture.failedFuture(closedException());
	}

	/**
	 * Leave a multicast group; stands for {@code rdma_leave_multicast}. The call is made
	 * on a thread of the registry's own and waited for at most its limit of a call,
	 * {@code rdma.call-timeout}. An interrupt ends the wait, and the call goes on.
	 * @param group the group's address
	 * @return whether it was joined
	 * @throws RdmaEndpointException if the call fails, on ETIMEDOUT when it does not
	 * return in time, on EINTR when the calling thread is interrupted, which stays so;
	 * the group counts as left all the same
	 * @throws ConnectionClosedException if the endpoint is being destroyed, which leaves
	 * all groups
	 */
	public boolean leave(InetAddress group) {
		DatagramSession session = this.session;
		return session != null && session.leave(group);
	}

	/**
	 * Return the multicast groups that are joined.
	 * @return a snapshot, with what to send to as the value
	 */
	public Map<InetAddress, DatagramPeer> groups() {
		DatagramSession session = this.session;
		return (session != null) ? session.memberships().groups() : Map.of();
	}

	/**
	 * Send a datagram; stands for {@code ibv_post_send} with {@code IBV_WR_SEND}. The
	 * bytes from position to limit are copied before the method returns. While all
	 * buffers are in use it waits for one, at most 10 s.
	 * @param peer the peer or group
	 * @param message the message, not larger than {@link #maxMessageSize()}
	 * @return completes when the datagram has left, which says nothing about its arrival
	 * @throws IllegalArgumentException if the message is too large or the peer is another
	 * endpoint's
	 * @throws ConnectionClosedException if the endpoint is not started
	 * @throws SendQueueFullException if no buffer was free or became so in time
	 * @throws RdmaException on EHOSTUNREACH when no address handle can be made, or an
	 * errno of the call
	 */
	public CompletableFuture<Void> send(DatagramPeer peer, ByteBuffer message) {
		CompletableFuture<Void> future = new CompletableFuture<>();
		send(peer, message, completing(future));
		return future;
	}

	/**
	 * Send a datagram like {@link #send(DatagramPeer, ByteBuffer)} and learn of the
	 * outcome by callback.
	 * @param peer the peer or group
	 * @param message the message, not larger than {@link #maxMessageSize()}
	 * @param callback learns of the outcome, exactly once unless this method throws
	 * @throws IllegalArgumentException if the message is too large or the peer is another
	 * endpoint's
	 * @throws ConnectionClosedException if the endpoint is not started
	 * @throws SendQueueFullException if no buffer was free or became so in time
	 * @throws RdmaException on EHOSTUNREACH when no address handle can be made, or an
	 * errno of the call
	 */
	public void send(DatagramPeer peer, ByteBuffer message, SendCallback callback) {
		sender(peer).send(peer, message, WorkRequestOpcode.SEND, 0, callback);
	}

	/**
	 * Send a datagram with immediate data; stands for {@code ibv_post_send} with
	 * {@code IBV_WR_SEND_WITH_IMM}.
	 * @param peer the peer or group
	 * @param message the message, not larger than {@link #maxMessageSize()}
	 * @param immediate the immediate data, in host order
	 * @return completes when the datagram has left, which says nothing about its arrival
	 * @throws IllegalArgumentException if the message is too large or the peer is another
	 * endpoint's
	 * @throws ConnectionClosedException if the endpoint is not started
	 * @throws SendQueueFullException if no buffer was free or became so in time
	 * @throws RdmaException on EHOSTUNREACH when no address handle can be made, or an
	 * errno of the call
	 */
	public CompletableFuture<Void> sendWithImmediate(DatagramPeer peer, ByteBuffer message, int immediate) {
		CompletableFuture<Void> future = new CompletableFuture<>();
		sender(peer).send(peer, message, WorkRequestOpcode.SEND_WITH_IMM, immediate, completing(future));
		return future;
	}

	private DatagramSender sender(DatagramPeer peer) {
		if (peer.owner() != this) {
			throw new IllegalArgumentException("Peer " + peer + " was resolved by RDMA datagram endpoint '"
					+ peer.owner().name() + "' and cannot be sent to by '" + name() + "'");
		}
		DatagramSession session = this.session;
		DatagramSender sender = (session != null) ? session.resources().sender() : null;
		if (sender == null) {
			throw closedException();
		}
		return sender;
	}

	private static SendCallback completing(CompletableFuture<Void> future) {
		return (error) -> {
			if (error == null) {
				future.complete(null);
			}
			else {
				future.completeExceptionally(error);
			}
		};
	}

	@Override
	public String address() {
		Integer port = this.settings.port();
		return Addresses.format(this.settings.address(), (port != null) ? port : 0);
	}

	@Override
	Runnable bringUp(EndpointStart start) {
		DatagramSession session = new DatagramSession(this, start.runtime(), ownedCmId());
		this.session = session;
		return () -> start.make("rdma_join_multicast", (watch) -> open(start, session, watch));
	}

	private void open(EndpointStart start, DatagramSession session, CallWatch watch) {
		start.requireCpu(this.settings.completion(), watch);
		try {
			session.open(watch);
		}
		catch (RdmaEndpointException ex) {
			throw ex;
		}
		catch (RdmaException ex) {
			throw new RdmaEndpointException(name(), address(), ex);
		}
		start.whileInForce(this::up);
		start.requireInForce();
		logger.info("RDMA datagram endpoint '{}' is up on {}: queue pair {}, datagrams of up to {} bytes, groups {}{}",
				name(), this.settings.address(), cmId().qpNum(), maxMessageSize(), groups().keySet(),
				(port() != 0) ? ", peers ask on port " + port() : "");
	}

	void onEvent(CmId id, CmEvent event) {
		statistics().event(event.type(), event.status());
		DatagramSession session = this.session;
		EndpointRuntime runtime = runtime();
		switch (event.type()) {
			case MULTICAST_JOIN, MULTICAST_ERROR -> {
				if (session != null) {
					session.memberships().onEvent(event);
				}
			}
			case DEVICE_REMOVAL -> {
				if (runtime != null) {
					deviceGoes(runtime, event);
				}
			}
			default -> logger.debug("{}: {}", id, event.describe());
		}
	}

	// A request ended with an error, and the queue pair with it, or no completions are
	// taken any more.
	void failed(RuntimeException error) {
		if (runtime() != null) {
			logger.warn("{} failed and stays down until it is destroyed and started again: {}", this,
					error.getMessage());
		}
		down(error);
	}

	ConnectionClosedException closedException() {
		RuntimeException error = lastError();
		return new ConnectionClosedException(this + " is not up" + ((error != null) ? ": " + error.getMessage() : ""),
				error);
	}

	@Override
	List<DestroyMember> ownMembers() {
		DatagramSession session = this.session;
		return (session != null) ? session.members() : List.of();
	}

	@Override
	void endDestroy(DestroyReport report) {
		DatagramSession session = this.session;
		try {
			if (session != null) {
				session.destroyed();
			}
		}
		finally {
			this.session = null;
			super.endDestroy(report);
		}
	}

	@Override
	void stopping(EndpointRuntime runtime) {
	}

	@Override
	void recovered() {
	}

	@Override
	Collection<CmId> otherIds() {
		DatagramSession session = this.session;
		return (session != null) ? session.otherIds() : List.of();
	}

	@Override
	public String toString() {
		return "RDMA datagram endpoint '" + name() + "' on " + address() + " (" + state() + ")";
	}

}
