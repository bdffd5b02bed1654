package io.github.rdmaboot.provider;

import org.jspecify.annotations.Nullable;

/**
 * State of a queue pair; stands for {@code enum ibv_qp_state}.
 */
public enum QueuePairState {

	/** New. */
	RESET(0),

	/** Takes receives. */
	INIT(1),

	/** Ready to receive. */
	RTR(2),

	/** Ready to send. */
	RTS(3),

	/** Send queue drained. */
	SQD(4),

	/** Send queue in error. */
	SQE(5),

	/** In error: every request is flushed. */
	ERR(6),

	/** Not known. */
	UNKNOWN(7);

	private final int value;

	QueuePairState(int value) {
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
	 * Return the state with a number.
	 * @param value the number in C
	 * @return the state, or {@code null} for a number that is not known
	 */
	public static @Nullable QueuePairState of(int value) {
		for (QueuePairState candidate : values()) {
			if (candidate.value == value) {
				return candidate;
			}
		}
		return null;
	}

}
