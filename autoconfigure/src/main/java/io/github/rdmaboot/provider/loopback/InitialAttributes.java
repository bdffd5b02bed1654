package io.github.rdmaboot.provider.loopback;

import io.github.rdmaboot.provider.AccessFlag;
import io.github.rdmaboot.provider.AddressHandleAttributes;
import io.github.rdmaboot.provider.ConnectionParameters;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.QueuePairAttributes;
import io.github.rdmaboot.provider.QueuePairState;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.loopback.LoopbackCmId.Exchange;
import org.jspecify.annotations.Nullable;

/**
 * Attributes that take a queue pair which the caller manages through its states. Its
 * method is called with the fabric's lock held.
 */
final class InitialAttributes {

	private static final int MTU_4096 = 5;

	private static final int ACK_TIMEOUT = 19;

	private static final int INIT_MASK = QueuePairAttributes.STATE | QueuePairAttributes.PKEY_INDEX
			| QueuePairAttributes.PORT;

	private static final int RTR_MASK = QueuePairAttributes.STATE | QueuePairAttributes.AV
			| QueuePairAttributes.PATH_MTU | QueuePairAttributes.DEST_QPN | QueuePairAttributes.RQ_PSN
			| QueuePairAttributes.MAX_DEST_RD_ATOMIC | QueuePairAttributes.MIN_RNR_TIMER;

	private static final int RTS_MASK = QueuePairAttributes.STATE | QueuePairAttributes.TIMEOUT
			| QueuePairAttributes.RETRY_CNT | QueuePairAttributes.RNR_RETRY | QueuePairAttributes.SQ_PSN
			| QueuePairAttributes.MAX_QP_RD_ATOMIC;

	private InitialAttributes() {
	}

	static QueuePairAttributes of(LoopbackCmId id, QueuePairState state) {
		String call = "rdma_init_qp_attr";
		id.requireDevice(call);
		if (id.exchange == Exchange.FAILED) {
			throw new RdmaException(call, Errno.EINVAL.value());
		}
		if (id.isDatagram()) {
			return datagram(call, state);
		}
		LoopbackConnection connection = id.connection;
		return switch (state) {
			case INIT -> attributes(INIT_MASK | QueuePairAttributes.ACCESS_FLAGS, state, 0, access(id), null, 0, 0, 0);
			case RTR -> {
				requireAnswer(call, id, connection);
				yield attributes(RTR_MASK, state, destination(id, connection), access(id), path(id), 0,
						readsIn(id, connection), 0);
			}
			case RTS -> {
				requireAnswer(call, id, connection);
				yield attributes(RTS_MASK, state, 0, access(id), null, readsOut(id, connection), 0,
						(connection != null) ? connection.request.rnrRetryCount() : 0);
			}
			default -> throw new RdmaException(call, Errno.EINVAL.value());
		};
	}

	private static QueuePairAttributes datagram(String call, QueuePairState state) {
		int mask = switch (state) {
			case INIT -> INIT_MASK | QueuePairAttributes.QKEY;
			case RTR -> QueuePairAttributes.STATE;
			case RTS -> QueuePairAttributes.STATE | QueuePairAttributes.SQ_PSN;
			default -> throw new RdmaException(call, Errno.EINVAL.value());
		};
		return new QueuePairAttributes(mask, state, QueuePairState.UNKNOWN, 0, DatagramTransport.CM_QKEY, 0, 0, 0, 0,
				null, null, 0, 0, 0, 0, 1, 0, 0, 0);
	}

	private static void requireAnswer(String call, LoopbackCmId id, @Nullable LoopbackConnection connection) {
		if (connection == null || id.exchange == Exchange.NONE || id.exchange == Exchange.REQUEST_SENT) {
			throw new RdmaException(call, Errno.EINVAL.value());
		}
	}

	private static int destination(LoopbackCmId id, @Nullable LoopbackConnection connection) {
		if (connection == null) {
			return 0;
		}
		return (connection.active == id) ? connection.passiveQpNum : connection.activeQpNum;
	}

	private static int readsIn(LoopbackCmId id, @Nullable LoopbackConnection connection) {
		if (connection == null) {
			return 0;
		}
		ConnectionParameters reply = connection.reply;
		if (connection.active == id) {
			return (reply != null) ? reply.initiatorDepth() : connection.request.responderResources();
		}
		return (reply != null) ? reply.responderResources() : connection.request.initiatorDepth();
	}

	private static int readsOut(LoopbackCmId id, @Nullable LoopbackConnection connection) {
		if (connection == null) {
			return 0;
		}
		ConnectionParameters reply = connection.reply;
		if (connection.active == id) {
			return (reply != null) ? reply.responderResources() : connection.request.initiatorDepth();
		}
		return (reply != null) ? reply.initiatorDepth() : connection.request.responderResources();
	}

	private static int access(LoopbackCmId id) {
		int access = AccessFlag.REMOTE_WRITE.value();
		if (readsIn(id, id.connection) > 0) {
			access |= AccessFlag.REMOTE_READ.value() | AccessFlag.REMOTE_ATOMIC.value();
		}
		return access;
	}

	private static @Nullable AddressHandleAttributes path(LoopbackCmId id) {
		return (id.peer != null) ? Gids.pathTo(id.peer.getAddress()) : null;
	}

	private static QueuePairAttributes attributes(int mask, QueuePairState state, int destination, int access,
			@Nullable AddressHandleAttributes path, int readsOut, int readsIn, int rnrRetry) {
		return new QueuePairAttributes(mask, state, QueuePairState.UNKNOWN, MTU_4096, 0, 0, 0, destination, access,
				null, path, 0, readsOut, readsIn, 0, 1, ACK_TIMEOUT, 7, rnrRetry);
	}

}
