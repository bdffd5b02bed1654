package io.github.rdmaboot.autoconfigure;

/**
 * How the provider of the RDMA calls is chosen.
 */
public enum RdmaProviderType {

	/**
	 * The libraries librdmacm and libibverbs, by JNA; it is an error if they cannot be
	 * used.
	 */
	NATIVE,

	/** The native libraries if they can be used, otherwise loopback, with a warning. */
	AUTO,

	/** A fabric inside the process, without any native library. */
	LOOPBACK

}
