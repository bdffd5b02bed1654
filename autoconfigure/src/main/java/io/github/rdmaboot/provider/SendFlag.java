package io.github.rdmaboot.provider;

/**
 * Flag of a send request; stands for {@code enum ibv_send_flags}.
 */
public enum SendFlag {

	/** Wait for earlier reads. */
	FENCE(1),

	/** Produce a completion. */
	SIGNALED(2),

	/** Wake a peer that waits for solicited events. */
	SOLICITED(4),

	/** Copy the data at once; the buffer may be reused and need not be registered. */
	INLINE(8);

	private final int value;

	SendFlag(int value) {
		this.value = value;
	}

	/**
	 * Return the number that stands for it in C.
	 * @return the number
	 */
	public int value() {
		return this.value;
	}

}
