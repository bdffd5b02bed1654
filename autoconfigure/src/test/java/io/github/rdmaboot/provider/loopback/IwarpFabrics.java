package io.github.rdmaboot.provider.loopback;

/**
 * Fabrics of the loopback whose device has no immediate data, as on iWARP.
 */
public final class IwarpFabrics {

	private IwarpFabrics() {
	}

	/**
	 * Make the device of a fabric one of iWARP as far as it has no immediate data.
	 * @param fabric the fabric, which nothing uses yet
	 * @return the fabric
	 */
	public static LoopbackFabric like(LoopbackFabric fabric) {
		try (FabricLock ignored = fabric.lock().hold()) {
			fabric.omitImmediateData();
		}
		return fabric;
	}

}
