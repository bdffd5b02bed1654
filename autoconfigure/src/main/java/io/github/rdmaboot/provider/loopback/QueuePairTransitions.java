package io.github.rdmaboot.provider.loopback;

import io.github.rdmaboot.provider.QueuePairAttributes;
import io.github.rdmaboot.provider.QueuePairState;
import io.github.rdmaboot.provider.QueuePairType;

/**
 * Which state a queue pair may go to, and the attributes that must come with it.
 */
final class QueuePairTransitions {

	private static final int TO_INIT = QueuePairAttributes.PKEY_INDEX | QueuePairAttributes.PORT;

	private static final int TO_RTR = QueuePairAttributes.AV | QueuePairAttributes.PATH_MTU
			| QueuePairAttributes.DEST_QPN | QueuePairAttributes.RQ_PSN | QueuePairAttributes.MAX_DEST_RD_ATOMIC
			| QueuePairAttributes.MIN_RNR_TIMER;

	private static final int TO_RTS = QueuePairAttributes.TIMEOUT | QueuePairAttributes.RETRY_CNT
			| QueuePairAttributes.RNR_RETRY | QueuePairAttributes.SQ_PSN | QueuePairAttributes.MAX_QP_RD_ATOMIC;

	private QueuePairTransitions() {
	}

	static boolean isLegal(QueuePairType type, QueuePairState from, QueuePairState to, int mask) {
		if (to == QueuePairState.RESET || to == QueuePairState.ERR) {
			return to == QueuePairState.RESET || from != QueuePairState.RESET;
		}
		boolean datagram = type == QueuePairType.UD;
		return switch (from) {
			case RESET -> to == QueuePairState.INIT
					&& has(mask, TO_INIT | (datagram ? QueuePairAttributes.QKEY : QueuePairAttributes.ACCESS_FLAGS));
			case INIT -> to == QueuePairState.INIT || (to == QueuePairState.RTR && (datagram || has(mask, TO_RTR)));
			case RTR -> to == QueuePairState.RTS && has(mask, datagram ? QueuePairAttributes.SQ_PSN : TO_RTS);
			case RTS -> to == QueuePairState.RTS || to == QueuePairState.SQD;
			case SQD -> to == QueuePairState.RTS || to == QueuePairState.SQD;
			case SQE -> to == QueuePairState.RTS;
			default -> false;
		};
	}

	private static boolean has(int mask, int required) {
		return (mask & required) == required;
	}

}
