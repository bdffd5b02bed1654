package io.github.rdmaboot.provider;

/**
 * Operation of a send request; stands for {@code enum ibv_wr_opcode}.
 */
public enum WorkRequestOpcode {

	/** Write to remote memory. */
	RDMA_WRITE(0),

	/** Write to remote memory and complete a receive of the peer. */
	RDMA_WRITE_WITH_IMM(1),

	/** Send a message. */
	SEND(2),

	/** Send a message with 32 bits beside it. */
	SEND_WITH_IMM(3),

	/** Read remote memory. */
	RDMA_READ(4),

	/** Compare and swap 64 bits of remote memory. */
	ATOMIC_CMP_AND_SWP(5),

	/** Add to 64 bits of remote memory. */
	ATOMIC_FETCH_AND_ADD(6);

	private final int value;

	WorkRequestOpcode(int value) {
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
