package io.github.rdmaboot.provider.loopback;

import java.net.InetSocketAddress;
import java.util.Arrays;

import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.ConnectionEce;
import io.github.rdmaboot.provider.ConnectionParameters;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.QueuePairState;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.loopback.LoopbackCmId.Exchange;
import io.github.rdmaboot.provider.loopback.LoopbackCmId.State;
import org.jspecify.annotations.Nullable;

/**
 * Establishes reliable connections: request, reply, ready to use, and their rejection.
 * Its methods are called with the fabric's lock held.
 */
final class CmHandshake {

	static final int NO_LISTENER = 8;

	static final int CONSUMER_DEFINED = 28;

	static final int VENDOR_OPTION_NOT_SUPPORTED = 35;

	static final int TIMED_OUT = 4;

	private static final int COMMUNICATION_ESTABLISHED = 4;

	private static final int PATH_MIGRATED = 6;

	private static final int REQUEST_DATA = 56;

	private static final int REPLY_DATA = 196;

	private static final int REJECT_DATA = 148;

	private static final byte[] NO_DATA = new byte[0];

	private CmHandshake() {
	}

	static void connect(LoopbackCmId id, ConnectionParameters asked) {
		id.requireDevice("rdma_connect");
		id.require("rdma_connect", State.ROUTE_RESOLVED);
		checkData("rdma_connect", asked.privateData(), REQUEST_DATA);
		ConnectionParameters parameters = withDeviceDepths("rdma_connect", asked);
		LoopbackQp qp = id.qp;
		LoopbackConnection connection = new LoopbackConnection(id, parameters,
				(qp != null) ? qp.number() : parameters.qpNum());
		id.connection = connection;
		id.state = State.CONNECT;
		id.exchange = Exchange.REQUEST_SENT;
		Retransmission.start(id, Retransmission.CONNECT_LIMIT_NANOS, () -> send(id, () -> requestArrived(connection)),
				() -> unreachable(id));
	}

	static void accept(LoopbackCmId id, ConnectionParameters asked) {
		id.require("rdma_accept", State.CONNECT);
		LoopbackConnection connection = id.connection;
		if (connection == null || id.exchange != Exchange.REQUEST_RECEIVED) {
			throw new RdmaException("rdma_accept", Errno.EINVAL.value());
		}
		checkData("rdma_accept", asked.privateData(), REPLY_DATA);
		ConnectionParameters parameters = withDeviceDepths("rdma_accept", asked);
		LoopbackQp qp = id.qp;
		if (qp != null) {
			if (qp.state() != QueuePairState.INIT) {
				throw new RdmaException("rdma_accept", Errno.EINVAL.value());
			}
			qp.connect(connection.activeQpNum, parameters.initiatorDepth(), parameters.responderResources(),
					connection.request.retryCount(), connection.request.rnrRetryCount(), id.localAddress(),
					id.peerAddress());
		}
		connection.reply = parameters;
		// The reply of Linux 6.1 loses the vendor.
		ConnectionEce ece = id.localEce;
		connection.replyEce = (ece != null) ? new ConnectionEce(0, ece.options()) : null;
		connection.passiveQpNum = (qp != null) ? qp.number() : parameters.qpNum();
		id.exchange = Exchange.REPLY_SENT;
		Retransmission.start(id, Retransmission.CONNECT_LIMIT_NANOS, () -> send(id, () -> replyArrived(connection)),
				() -> unreachable(id));
	}

	static void reject(LoopbackCmId id, int reason, byte[] privateData) {
		id.require("rdma_reject", State.CONNECT);
		checkData("rdma_reject", privateData, REJECT_DATA);
		switch (id.exchange) {
			case REQUEST_SENT -> {
				// The kernel does not know the peer's id yet, so the message finds
				// nobody.
				id.exchange = Exchange.FAILED;
				Retransmission.abandon(id);
			}
			case REPLY_SENT -> {
				Retransmission.abandon(id);
				rejectPeer(id, reason, privateData);
			}
			case REQUEST_RECEIVED, REPLY_RECEIVED -> rejectPeer(id, reason, privateData);
			default -> throw new RdmaException("rdma_reject", Errno.EINVAL.value());
		}
	}

	static void establish(LoopbackCmId id) {
		id.require("rdma_establish", State.CONNECT);
		LoopbackConnection connection = id.connection;
		if (id.qp != null || connection == null || id.exchange != Exchange.REPLY_RECEIVED) {
			throw new RdmaException("rdma_establish", Errno.EINVAL.value());
		}
		readyToUse(id, connection);
	}

	/**
	 * Take a connection for established because its queue pair has heard from the peer,
	 * or its path for migrated, of which a fabric has one only.
	 * @param id the id
	 * @param asyncEventType the event of the queue pair
	 */
	static void notify(LoopbackCmId id, int asyncEventType) {
		String call = "rdma_notify";
		id.require(call, State.values());
		boolean connected = id.exchange == Exchange.ESTABLISHED && !id.isDatagram();
		LoopbackConnection connection = id.connection;
		if (asyncEventType == COMMUNICATION_ESTABLISHED && connected) {
			throw new RdmaException(call, Errno.EISCONN.value());
		}
		if (asyncEventType == COMMUNICATION_ESTABLISHED && connection != null && id.exchange == Exchange.REPLY_SENT) {
			readyArrived(connection);
		}
		else if (asyncEventType != PATH_MIGRATED || !connected) {
			throw new RdmaException(call, Errno.EINVAL.value());
		}
	}

	/**
	 * Do what the library does when it fetches the peer's reply.
	 * @param id the active id
	 * @return the number of the event to report, -1 for none
	 */
	static int replyFetched(LoopbackCmId id) {
		LoopbackConnection connection = id.connection;
		LoopbackQp qp = id.qp;
		if (connection == null || qp == null) {
			return CmEventType.CONNECT_RESPONSE.value();
		}
		ConnectionParameters reply = connection.reply;
		// The kernel has no attributes for the queue pair of an id that rejected
		// meanwhile.
		if (qp.state() != QueuePairState.INIT || reply == null || id.exchange != Exchange.REPLY_RECEIVED) {
			qp.toError();
			id.failedInLibrary = true;
			return CmEventType.CONNECT_ERROR.value();
		}
		qp.connect(connection.passiveQpNum, reply.responderResources(), reply.initiatorDepth(),
				connection.request.retryCount(), reply.rnrRetryCount(), id.localAddress(), id.peerAddress());
		readyToUse(id, connection);
		return CmEventType.ESTABLISHED.value();
	}

	/**
	 * Reject the peer from an id whose exchange is not complete.
	 * @param id the id that rejects
	 * @param reason the reason for the peer
	 * @param privateData bytes for the peer
	 */
	static void sendReject(LoopbackCmId id, int reason, byte[] privateData) {
		Retransmission.stop(id);
		rejectPeer(id, reason, privateData);
	}

	private static void rejectPeer(LoopbackCmId id, int reason, byte[] privateData) {
		LoopbackConnection connection = id.connection;
		id.exchange = Exchange.FAILED;
		if (connection != null) {
			send(id, () -> rejectArrived(connection, id, reason, privateData));
		}
	}

	static void send(LoopbackCmId from, Runnable message) {
		from.process().fabric().network().send(from.localAddress(), from.peerAddress(), message);
	}

	private static void readyToUse(LoopbackCmId id, LoopbackConnection connection) {
		id.exchange = Exchange.ESTABLISHED;
		send(id, () -> readyArrived(connection));
	}

	private static void requestArrived(LoopbackConnection connection) {
		LoopbackCmId active = connection.active;
		InetSocketAddress destination = active.peer;
		LoopbackCmId known = connection.passive;
		boolean isKnown = known != null && known.exchange != Exchange.NONE && known.exchange != Exchange.FAILED;
		boolean isSent = active.exchange == Exchange.REQUEST_SENT || active.abandonedMessage != null;
		if (isKnown || !isSent || destination == null) {
			return;
		}
		LoopbackFabric fabric = active.process().fabric();
		LoopbackCmId listener = fabric.ports().listener(active.portSpace(), destination);
		if (listener == null) {
			// The IB CM looks for the port alone, the RDMA CM then for the address.
			int reason = fabric.ports().hasListener(active.portSpace(), destination.getPort()) ? CONSUMER_DEFINED
					: NO_LISTENER;
			fabric.network()
				.send(active.peerAddress(), active.localAddress(),
						() -> rejectArrived(connection, null, reason, NO_DATA));
			return;
		}
		if (listener.unfetched.size() >= listener.backlog) {
			return;
		}
		LoopbackCmId child = newChild(listener, active);
		child.connection = connection;
		child.exchange = Exchange.REQUEST_RECEIVED;
		connection.passive = child;
		ConnectionParameters request = connection.request;
		QueuedEvent event = newRequest(listener, child, request.privateData(), REQUEST_DATA);
		event.responderResources = request.initiatorDepth();
		event.initiatorDepth = request.responderResources();
		event.qpNum = connection.activeQpNum;
		CmEvents.queue(event);
	}

	/**
	 * Create the id of a connection request.
	 * @param listener the listener
	 * @param active the peer
	 * @return the id, in the state in which the library reports it
	 */
	static LoopbackCmId newChild(LoopbackCmId listener, LoopbackCmId active) {
		LoopbackCmId child = listener.process().newId(listener.channel, listener.portSpace());
		child.state = State.CONNECT;
		child.listener = listener;
		child.local = active.peer;
		child.peer = active.local;
		child.device = listener.process().cmContext();
		listener.unfetched.add(child);
		return child;
	}

	static QueuedEvent newRequest(LoopbackCmId listener, LoopbackCmId child, byte[] privateData, int paddedLength) {
		QueuedEvent event = new QueuedEvent(child, CmEventType.CONNECT_REQUEST, 0);
		event.listener = listener;
		event.privateData = Arrays.copyOf(privateData, paddedLength);
		return event;
	}

	private static void replyArrived(LoopbackConnection connection) {
		LoopbackCmId active = connection.active;
		ConnectionParameters reply = connection.reply;
		if (active.exchange == Exchange.ESTABLISHED) {
			send(active, () -> readyArrived(connection));
		}
		if (active.exchange != Exchange.REQUEST_SENT || reply == null) {
			return;
		}
		Retransmission.stop(active);
		active.exchange = Exchange.REPLY_RECEIVED;
		QueuedEvent event = new QueuedEvent(active, CmEventType.CONNECT_RESPONSE, 0);
		event.privateData = Arrays.copyOf(reply.privateData(), REPLY_DATA);
		event.responderResources = reply.initiatorDepth();
		event.initiatorDepth = reply.responderResources();
		event.qpNum = connection.passiveQpNum;
		CmEvents.queue(event);
	}

	private static void readyArrived(LoopbackConnection connection) {
		LoopbackCmId passive = connection.passive;
		if (passive != null && passive.exchange == Exchange.REPLY_SENT) {
			Retransmission.stop(passive);
			passive.exchange = Exchange.ESTABLISHED;
			CmEvents.queue(passive, CmEventType.ESTABLISHED, 0);
		}
	}

	private static void rejectArrived(LoopbackConnection connection, @Nullable LoopbackCmId from, int reason,
			byte[] privateData) {
		LoopbackCmId to = (from != null) ? connection.peerOf(from) : connection.active;
		if (to == null) {
			return;
		}
		Exchange before = to.exchange;
		if (before == Exchange.REQUEST_RECEIVED) {
			// The kernel tells a child nothing before it was accepted: the next call on
			// it fails.
			to.exchange = Exchange.FAILED;
		}
		else if (before == Exchange.REQUEST_SENT || before == Exchange.REPLY_SENT
				|| before == Exchange.REPLY_RECEIVED) {
			Retransmission.stop(to);
			to.exchange = Exchange.FAILED;
			CmEvents.queue(to, CmEventType.REJECTED, reason, privateData, REJECT_DATA);
		}
	}

	private static void unreachable(LoopbackCmId id) {
		if (id.exchange == Exchange.FAILED) {
			return;
		}
		id.exchange = Exchange.FAILED;
		CmEvents.queue(id, CmEventType.UNREACHABLE, -Errno.ETIMEDOUT.value());
	}

	static void checkData(String call, byte[] privateData, int limit) {
		if (privateData.length > limit) {
			throw new RdmaException(call, Errno.EINVAL.value());
		}
	}

	private static ConnectionParameters withDeviceDepths(String call, ConnectionParameters asked) {
		return new ConnectionParameters(asked.privateData().clone(), depth(call, asked.responderResources()),
				depth(call, asked.initiatorDepth()), asked.flowControl(), asked.retryCount() & 7,
				asked.rnrRetryCount() & 7, asked.srq(), asked.qpNum());
	}

	private static int depth(String call, int asked) {
		if (asked == 255) {
			return DeviceLimits.MAX_READ_ATOMIC;
		}
		if (asked > DeviceLimits.MAX_READ_ATOMIC) {
			throw new RdmaException(call, Errno.EINVAL.value());
		}
		return asked;
	}

}
