package io.github.rdmaboot.provider;

/**
 * Port space of a CM id; stands for {@code enum rdma_port_space}.
 */
public enum PortSpace {

	/** Datagrams of IP over InfiniBand. */
	IPOIB(2),

	/** Reliable connections. */
	TCP(262),

	/** Unreliable datagrams. */
	UDP(273),

	/** Any service of InfiniBand. */
	IB(319);

	private final int value;

	PortSpace(int value) {
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
