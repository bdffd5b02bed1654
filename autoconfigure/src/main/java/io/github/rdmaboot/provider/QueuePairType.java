package io.github.rdmaboot.provider;

/**
 * Kind of a queue pair; stands for {@code enum ibv_qp_type}.
 */
public enum QueuePairType {

	/** Reliable connected. */
	RC(2),

	/** Unreliable connected. */
	UC(3),

	/** Unreliable datagram. */
	UD(4);

	private final int value;

	QueuePairType(int value) {
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
