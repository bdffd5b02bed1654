package io.github.rdmaboot.provider;

/**
 * Access that a memory region or queue pair permits; stands for
 * {@code enum ibv_access_flags}.
 */
public enum AccessFlag {

	/** The device may write to it; needed by receives and by remote writes. */
	LOCAL_WRITE(1),

	/** Peers may write to it. */
	REMOTE_WRITE(2),

	/** Peers may read it. */
	REMOTE_READ(4),

	/** Peers may change it atomically. */
	REMOTE_ATOMIC(8),

	/** The device may reorder its accesses. */
	RELAXED_ORDERING(1048576);

	private final int value;

	AccessFlag(int value) {
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
