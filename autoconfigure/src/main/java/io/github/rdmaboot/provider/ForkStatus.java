package io.github.rdmaboot.provider;

/**
 * How registered memory fares in a fork; stands for {@code enum ibv_fork_status}.
 */
public enum ForkStatus {

	/** A fork may corrupt registered memory. */
	DISABLED(0),

	/** Registered memory is kept out of the child. */
	ENABLED(1),

	/** The kernel copies registered memory for the child. */
	UNNEEDED(2);

	private final int value;

	ForkStatus(int value) {
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
