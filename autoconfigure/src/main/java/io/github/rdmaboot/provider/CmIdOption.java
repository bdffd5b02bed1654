package io.github.rdmaboot.provider;

/**
 * Option of a CM id; stands for {@code RDMA_OPTION_ID_*}.
 */
public enum CmIdOption {

	/** Type of service of the packets, 0 to 255; before the route is resolved. */
	TOS(0),

	/** Whether an address in use may be bound again; before listening. */
	REUSEADDR(1),

	/** Whether an IPv6 wildcard takes IPv6 alone; before or right after binding. */
	AFONLY(2),

	/**
	 * Acknowledgement timeout of the queue pair as an exponent, 0 to 31; before
	 * connecting.
	 */
	ACK_TIMEOUT(3);

	private final int value;

	CmIdOption(int value) {
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
