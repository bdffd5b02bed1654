package io.github.rdmaboot.provider.loopback;

import java.net.InetSocketAddress;
import java.util.Arrays;

import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.ConnectionParameters;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.loopback.LoopbackCmId.Exchange;
import io.github.rdmaboot.provider.loopback.LoopbackCmId.State;

/**
 * Finds the queue pair of a datagram service: one request and one answer. Its methods are
 * called with the fabric's lock held.
 */
final class DatagramHandshake {

	private static final int UNSUPPORTED = 1;

	private static final int REJECTED = 2;

	private static final int REQUEST_DATA = 180;

	private static final int REPLY_DATA = 136;

	private static final byte[] NO_DATA = new byte[0];

	private DatagramHandshake() {
	}

	static void connect(LoopbackCmId id, ConnectionParameters parameters) {
		id.requireDevice("rdma_connect");
		id.require("rdma_connect", State.ROUTE_RESOLVED);
		CmHandshake.checkData("rdma_connect", parameters.privateData(), REQUEST_DATA);
		LoopbackConnection connection = new LoopbackConnection(id, parameters, 0);
		id.connection = connection;
		id.state = State.CONNECT;
		id.exchange = Exchange.REQUEST_SENT;
		Retransmission.start(id, Retransmission.CONNECT_LIMIT_NANOS,
				() -> CmHandshake.send(id, () -> requestArrived(connection)),
				() -> answered(connection, -Errno.ETIMEDOUT.value(), NO_DATA, 0, 0));
	}

	static void accept(LoopbackCmId id, ConnectionParameters parameters) {
		id.require("rdma_accept", State.CONNECT);
		CmHandshake.checkData("rdma_accept", parameters.privateData(), REPLY_DATA);
		LoopbackConnection connection = requireRequest("rdma_accept", id);
		LoopbackQp qp = id.qp;
		int number = (qp != null) ? qp.number() : parameters.qpNum();
		byte[] data = parameters.privateData().clone();
		id.exchange = Exchange.ESTABLISHED;
		CmHandshake.send(id, () -> answered(connection, 0, data, number, DatagramTransport.CM_QKEY));
	}

	static void reject(LoopbackCmId id, byte[] privateData) {
		id.require("rdma_reject", State.CONNECT);
		CmHandshake.checkData("rdma_reject", privateData, REPLY_DATA);
		LoopbackConnection connection = requireRequest("rdma_reject", id);
		byte[] data = privateData.clone();
		id.exchange = Exchange.FAILED;
		CmHandshake.send(id, () -> answered(connection, REJECTED, data, 0, 0));
	}

	static void abandon(LoopbackCmId id) {
		LoopbackConnection connection = id.connection;
		if (connection != null && id.exchange == Exchange.REQUEST_RECEIVED) {
			CmHandshake.send(id, () -> answered(connection, REJECTED, NO_DATA, 0, 0));
		}
	}

	private static LoopbackConnection requireRequest(String call, LoopbackCmId id) {
		LoopbackConnection connection = id.connection;
		if (connection == null || id.exchange != Exchange.REQUEST_RECEIVED) {
			throw new RdmaException(call, Errno.EINVAL.value());
		}
		return connection;
	}

	private static void requestArrived(LoopbackConnection connection) {
		LoopbackCmId active = connection.active;
		InetSocketAddress destination = active.peer;
		if (connection.passive != null || active.exchange != Exchange.REQUEST_SENT || destination == null) {
			return;
		}
		LoopbackFabric fabric = active.process().fabric();
		LoopbackCmId listener = fabric.ports().listener(active.portSpace(), destination);
		if (listener == null) {
			fabric.network()
				.send(active.peerAddress(), active.localAddress(),
						() -> answered(connection, UNSUPPORTED, NO_DATA, 0, 0));
		}
		else if (listener.unfetched.size() < listener.backlog) {
			LoopbackCmId child = CmHandshake.newChild(listener, active);
			child.connection = connection;
			child.exchange = Exchange.REQUEST_RECEIVED;
			connection.passive = child;
			CmEvents.queue(CmHandshake.newRequest(listener, child, connection.request.privateData(), REQUEST_DATA));
		}
	}

	private static void answered(LoopbackConnection connection, int status, byte[] privateData, int qpNum, int qkey) {
		LoopbackCmId active = connection.active;
		if (active.exchange != Exchange.REQUEST_SENT) {
			return;
		}
		Retransmission.stop(active);
		active.exchange = (status == 0) ? Exchange.ESTABLISHED : Exchange.FAILED;
		QueuedEvent event = new QueuedEvent(active, (status == 0) ? CmEventType.ESTABLISHED : CmEventType.UNREACHABLE,
				status);
		event.privateData = Arrays.copyOf(privateData, (status < 0) ? 0 : REPLY_DATA);
		event.qpNum = qpNum;
		event.qkey = qkey;
		InetSocketAddress peer = active.peer;
		if (status == 0 && peer != null) {
			event.address = Gids.pathTo(peer.getAddress());
		}
		CmEvents.queue(event);
	}

}
