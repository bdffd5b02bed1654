package io.github.rdmaboot.provider;

/**
 * Transport that a device speaks; stands for {@code IBV_TRANSPORT_*}.
 */
public enum TransportType {

	/** Not known. */
	UNKNOWN(-1),

	/** InfiniBand, or RoCE. */
	IB(0),

	/** RDMA over TCP. */
	IWARP(1),

	/** Cisco's own. */
	USNIC(2),

	/** Cisco's own over UDP. */
	USNIC_UDP(3),

	/** One of the driver's own. */
	UNSPECIFIED(4);

	private final int value;

	TransportType(int value) {
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
