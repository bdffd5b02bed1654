package io.github.rdmaboot.provider;

import org.jspecify.annotations.Nullable;

/**
 * Attributes of a queue pair; stands for {@code struct ibv_qp_attr}. Only those that the
 * mask names count.
 *
 * @param mask which attributes count, a union of the constants of this type
 * @param state the state
 * @param currentState the state that the queue pair is expected to be in
 * @param pathMtu the MTU as {@code enum ibv_mtu}
 * @param qkey the queue key of a datagram queue pair
 * @param receivePsn the first packet sequence number to expect
 * @param sendPsn the first packet sequence number to send
 * @param destinationQpNum the peer's queue pair number
 * @param accessFlags what the peer may do, a union of {@link AccessFlag} masks
 * @param capabilities the sizes or {@code null}
 * @param address the address of the path or {@code null}
 * @param pkeyIndex the index of the partition key
 * @param maxRdAtomic how many reads and atomics are outstanding at once
 * @param maxDestRdAtomic how many reads and atomics of the peer are served at once
 * @param minRnrTimer how long the peer shall wait when there is no receive, encoded
 * @param portNum the local port from 1
 * @param timeout the acknowledgement timeout, 4.096 µs · 2^timeout
 * @param retryCount how often an unanswered packet is sent again
 * @param rnrRetry how often a packet is sent again for which the peer had no receive
 */
public record QueuePairAttributes(int mask, QueuePairState state, QueuePairState currentState, int pathMtu, int qkey,
		int receivePsn, int sendPsn, int destinationQpNum, int accessFlags,
		@Nullable QueuePairCapabilities capabilities, @Nullable AddressHandleAttributes address, int pkeyIndex,
		int maxRdAtomic, int maxDestRdAtomic, int minRnrTimer, int portNum, int timeout, int retryCount, int rnrRetry) {

	/** {@code IBV_QP_STATE}. */
	public static final int STATE = 1;

	/** {@code IBV_QP_CUR_STATE}. */
	public static final int CUR_STATE = 2;

	/** {@code IBV_QP_ACCESS_FLAGS}. */
	public static final int ACCESS_FLAGS = 8;

	/** {@code IBV_QP_PKEY_INDEX}. */
	public static final int PKEY_INDEX = 16;

	/** {@code IBV_QP_PORT}. */
	public static final int PORT = 32;

	/** {@code IBV_QP_QKEY}. */
	public static final int QKEY = 64;

	/** {@code IBV_QP_AV}. */
	public static final int AV = 128;

	/** {@code IBV_QP_PATH_MTU}. */
	public static final int PATH_MTU = 256;

	/** {@code IBV_QP_TIMEOUT}. */
	public static final int TIMEOUT = 512;

	/** {@code IBV_QP_RETRY_CNT}. */
	public static final int RETRY_CNT = 1024;

	/** {@code IBV_QP_RNR_RETRY}. */
	public static final int RNR_RETRY = 2048;

	/** {@code IBV_QP_RQ_PSN}. */
	public static final int RQ_PSN = 4096;

	/** {@code IBV_QP_MAX_QP_RD_ATOMIC}. */
	public static final int MAX_QP_RD_ATOMIC = 8192;

	/** {@code IBV_QP_MIN_RNR_TIMER}. */
	public static final int MIN_RNR_TIMER = 32768;

	/** {@code IBV_QP_SQ_PSN}. */
	public static final int SQ_PSN = 65536;

	/** {@code IBV_QP_MAX_DEST_RD_ATOMIC}. */
	public static final int MAX_DEST_RD_ATOMIC = 131072;

	/** {@code IBV_QP_CAP}. */
	public static final int CAP = 524288;

	/** {@code IBV_QP_DEST_QPN}. */
	public static final int DEST_QPN = 1048576;

	/**
	 * Return attributes that change nothing but the state.
	 * @param state the state to go to
	 * @return the attributes
	 */
	public static QueuePairAttributes ofState(QueuePairState state) {
		return new QueuePairAttributes(STATE, state, QueuePairState.UNKNOWN, 0, 0, 0, 0, 0, 0, null, null, 0, 0, 0, 0,
				0, 0, 0, 0);
	}

	/**
	 * Return attributes that change nothing but the wait which a peer is told when there
	 * is no receive.
	 * @param minRnrTimer the wait, encoded from 0 (655.36 ms) over 1 (0.01 ms) to 31
	 * (491.52 ms)
	 * @return the attributes
	 */
	public static QueuePairAttributes ofMinRnrTimer(int minRnrTimer) {
		return new QueuePairAttributes(MIN_RNR_TIMER, QueuePairState.UNKNOWN, QueuePairState.UNKNOWN, 0, 0, 0, 0, 0, 0,
				null, null, 0, 0, 0, minRnrTimer, 0, 0, 0, 0);
	}

}
