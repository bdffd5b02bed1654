package io.github.rdmaboot.provider.loopback;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.loopback.LoopbackCmId.Exchange;
import io.github.rdmaboot.provider.loopback.LoopbackCmId.State;

/**
 * Disconnects, migrates and destroys ids and channels. Its methods are called with the
 * fabric's lock held.
 */
final class CmTeardown {

	/** Length of the time-wait state on RoCE with Linux 6.1. */
	private static final long TIME_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(2200);

	private static final byte[] NO_DATA = new byte[0];

	private CmTeardown() {
	}

	static void disconnect(LoopbackCmId id) {
		String call = "rdma_disconnect";
		if (id.state == State.DEVICE_REMOVAL) {
			throw new RdmaException(call, Errno.ENXIO.value());
		}
		if (id.kernelPartGone) {
			throw new RdmaException(call, Errno.EBADF.value());
		}
		if (id.device == null) {
			throw new RdmaException(call, Errno.EINVAL.value());
		}
		// The library does this before it asks the kernel whether there is a connection.
		LoopbackQp qp = id.qp;
		if (qp != null) {
			qp.toError();
		}
		LoopbackConnection connection = id.connection;
		if (connection == null) {
			id.require(call, State.LISTEN);
			return;
		}
		if (id.exchange == Exchange.ESTABLISHED) {
			id.exchange = Exchange.DISCONNECT_SENT;
			Retransmission.start(id, Retransmission.DISCONNECT_LIMIT_NANOS,
					() -> CmHandshake.send(id, () -> disconnectArrived(connection, id)), () -> disconnected(id, -110));
		}
		else if (id.exchange == Exchange.DISCONNECT_RECEIVED) {
			answerDisconnect(id, connection);
			enterTimeWait(id);
		}
	}

	static void migrate(LoopbackCmId id, EventChannel target) {
		id.events.awaitAll();
		for (QueuedEvent event : id.queued) {
			id.channel.events.remove(event);
			target.events.add(event);
		}
		id.channel.ids.remove(id);
		id.channel = target;
		target.ids.add(id);
		if (target.isReady()) {
			target.signal();
		}
	}

	static void destroy(LoopbackCmId id) {
		if (id.kernelPartGone) {
			throw new RdmaException("rdma_destroy_id", Errno.EBADF.value());
		}
		AckCounter abandoned = id.abandonedMessage;
		if (abandoned != null) {
			abandoned.awaitAll();
		}
		endInKernel(id);
		id.events.awaitAll();
		id.process().handles().remove(id.handle);
	}

	static void destroyChannel(EventChannel channel) {
		for (LoopbackCmId id : List.copyOf(channel.ids)) {
			endInKernel(id);
		}
		channel.events.clear();
	}

	/**
	 * Do what the kernel does when it loses an id; the library's part stays.
	 * @param id the id
	 */
	static void endInKernel(LoopbackCmId id) {
		if (id.kernelPartGone) {
			return;
		}
		id.cancelTimers();
		for (LoopbackCmId child : List.copyOf(id.unfetched)) {
			endInKernel(child);
			id.process().handles().remove(child.handle);
		}
		tellPeer(id);
		for (MulticastMembership membership : List.copyOf(id.memberships.values())) {
			membership.leave();
		}
		CmEvents.drop(id);
		InetSocketAddress local = id.local;
		if (local != null) {
			id.process().fabric().ports().release(id, local);
		}
		LoopbackCmId listener = id.listener;
		if (listener != null) {
			listener.unfetched.remove(id);
		}
		id.channel.ids.remove(id);
		id.exchange = Exchange.NONE;
		id.kernelPartGone = true;
	}

	/**
	 * End the exchange of an id because its device is gone: nobody is told.
	 * @param id the id
	 */
	static void loseDevice(LoopbackCmId id) {
		id.cancelTimers();
		boolean silent = id.exchange == Exchange.REQUEST_RECEIVED;
		id.state = State.DEVICE_REMOVAL;
		id.exchange = Exchange.FAILED;
		if (!silent) {
			CmEvents.queue(id, CmEventType.DEVICE_REMOVAL, 0);
		}
	}

	private static void tellPeer(LoopbackCmId id) {
		LoopbackConnection connection = id.connection;
		if (connection == null) {
			return;
		}
		if (id.isDatagram()) {
			DatagramHandshake.abandon(id);
			return;
		}
		switch (id.exchange) {
			case REQUEST_SENT -> CmHandshake.sendReject(id, CmHandshake.TIMED_OUT, NO_DATA);
			case REQUEST_RECEIVED, REPLY_SENT, REPLY_RECEIVED ->
				CmHandshake.sendReject(id, CmHandshake.CONSUMER_DEFINED, NO_DATA);
			case ESTABLISHED -> CmHandshake.send(id, () -> disconnectArrived(connection, id));
			case DISCONNECT_RECEIVED -> answerDisconnect(id, connection);
			default -> {
			}
		}
	}

	private static void answerDisconnect(LoopbackCmId id, LoopbackConnection connection) {
		CmHandshake.send(id, () -> {
			LoopbackCmId peer = connection.peerOf(id);
			if (peer != null && peer.exchange == Exchange.DISCONNECT_SENT) {
				disconnected(peer, 0);
			}
		});
	}

	private static void disconnectArrived(LoopbackConnection connection, LoopbackCmId from) {
		LoopbackCmId to = connection.peerOf(from);
		if (to == null) {
			return;
		}
		switch (to.exchange) {
			case ESTABLISHED, REPLY_SENT -> {
				Retransmission.stop(to);
				to.exchange = Exchange.DISCONNECT_RECEIVED;
				to.state = State.DISCONNECT;
				CmEvents.queue(to, CmEventType.DISCONNECTED, 0);
			}
			case DISCONNECT_SENT -> {
				disconnected(to, 0);
				answerDisconnect(to, connection);
			}
			case TIME_WAIT -> answerDisconnect(to, connection);
			case NONE -> {
				// The peer's id is gone: the kernel answers for it.
				if (from.exchange == Exchange.DISCONNECT_SENT) {
					answerDisconnect(to, connection);
				}
			}
			default -> {
			}
		}
	}

	private static void disconnected(LoopbackCmId id, int status) {
		Retransmission.stop(id);
		id.state = State.DISCONNECT;
		CmEvents.queue(id, CmEventType.DISCONNECTED, status);
		enterTimeWait(id);
	}

	private static void enterTimeWait(LoopbackCmId id) {
		id.exchange = Exchange.TIME_WAIT;
		id.timeWait = id.process().fabric().timer().schedule(TIME_WAIT_NANOS, () -> {
			id.timeWait = null;
			CmEvents.queue(id, CmEventType.TIMEWAIT_EXIT, 0);
		});
	}

}
