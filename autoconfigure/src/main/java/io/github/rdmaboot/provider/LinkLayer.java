package io.github.rdmaboot.provider;

/**
 * Link layer of a device port; stands for {@code IBV_LINK_LAYER_*}.
 */
public enum LinkLayer {

	/** Not told. */
	UNSPECIFIED(0),

	/** InfiniBand. */
	INFINIBAND(1),

	/** Ethernet: RoCE or iWARP. */
	ETHERNET(2);

	private final int value;

	LinkLayer(int value) {
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
