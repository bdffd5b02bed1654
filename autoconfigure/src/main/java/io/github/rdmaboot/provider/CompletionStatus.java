package io.github.rdmaboot.provider;

import org.jspecify.annotations.Nullable;

/**
 * Outcome of a work request; stands for {@code enum ibv_wc_status}.
 */
public enum CompletionStatus {

	/** Done. */
	SUCCESS(0),

	/** Local length error: a message larger than the receive buffer. */
	LOC_LEN_ERR(1),

	/** Local queue pair operation error. */
	LOC_QP_OP_ERR(2),

	/** Local end-to-end context error. */
	LOC_EEC_OP_ERR(3),

	/** Local protection error: memory that is not registered for the access. */
	LOC_PROT_ERR(4),

	/** Flushed because the queue pair is in error. */
	WR_FLUSH_ERR(5),

	/** Memory window bind error. */
	MW_BIND_ERR(6),

	/** Unexpected answer of the peer. */
	BAD_RESP_ERR(7),

	/** Local access error. */
	LOC_ACCESS_ERR(8),

	/** The peer found the request invalid. */
	REM_INV_REQ_ERR(9),

	/** The peer refused access to its memory. */
	REM_ACCESS_ERR(10),

	/** The peer could not carry out the operation. */
	REM_OP_ERR(11),

	/** The peer does not answer: transport retries used up. */
	RETRY_EXC_ERR(12),

	/** The peer posts no receives: retries used up. */
	RNR_RETRY_EXC_ERR(13),

	/** Local reliable datagram domain violation. */
	LOC_RDD_VIOL_ERR(14),

	/** Invalid reliable datagram request. */
	REM_INV_RD_REQ_ERR(15),

	/** The peer aborted the operation. */
	REM_ABORT_ERR(16),

	/** Invalid end-to-end context number. */
	INV_EECN_ERR(17),

	/** Invalid end-to-end context state. */
	INV_EEC_STATE_ERR(18),

	/** Fatal transport error. */
	FATAL_ERR(19),

	/** Response timeout. */
	RESP_TIMEOUT_ERR(20),

	/** Other error. */
	GENERAL_ERR(21),

	/** Tag matching error. */
	TM_ERR(22),

	/** Tag matching rendezvous incomplete. */
	TM_RNDV_INCOMPLETE(23);

	private final int value;

	CompletionStatus(int value) {
		this.value = value;
	}

	/**
	 * Return the number that stands for it in C.
	 * @return the number
	 */
	public int value() {
		return this.value;
	}

	/**
	 * Return the status with a number.
	 * @param value the number in C
	 * @return the status, or {@code null} for a number that is not known
	 */
	public static @Nullable CompletionStatus of(int value) {
		for (CompletionStatus candidate : values()) {
			if (candidate.value == value) {
				return candidate;
			}
		}
		return null;
	}

}
