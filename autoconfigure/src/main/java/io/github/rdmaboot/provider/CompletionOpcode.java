package io.github.rdmaboot.provider;

import org.jspecify.annotations.Nullable;

/**
 * Operation that completed; stands for {@code enum ibv_wc_opcode}.
 */
public enum CompletionOpcode {

	/** A send. */
	SEND(0),

	/** A write to remote memory. */
	RDMA_WRITE(1),

	/** A read of remote memory. */
	RDMA_READ(2),

	/** A compare and swap. */
	COMP_SWAP(3),

	/** A fetch and add. */
	FETCH_ADD(4),

	/** A receive. */
	RECV(128),

	/** A receive that a peer's write with immediate data took. */
	RECV_RDMA_WITH_IMM(129);

	private final int value;

	CompletionOpcode(int value) {
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
	 * Return the operation with a number.
	 * @param value the number in C
	 * @return the operation, or {@code null} for a number that is not known
	 */
	public static @Nullable CompletionOpcode of(int value) {
		for (CompletionOpcode candidate : values()) {
			if (candidate.value == value) {
				return candidate;
			}
		}
		return null;
	}

}
