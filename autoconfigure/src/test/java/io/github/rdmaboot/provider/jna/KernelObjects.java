package io.github.rdmaboot.provider.jna;

/**
 * What the kernel says of RDMA objects in use.
 */
public final class KernelObjects {

	private KernelObjects() {
	}

	/**
	 * Return how many queue pairs there are, those of the kernel included.
	 * @return the number
	 */
	public static long queuePairs() {
		return SystemCommand.run("rdma resource show qp").lines().count();
	}

	/**
	 * Return the counts that {@code rdma resource show} prints, without those of device
	 * contexts: librdmacm keeps the contexts that it opened as long as the process lives.
	 * @return the text
	 */
	public static String counts() {
		return SystemCommand.run("rdma resource show").replaceAll(" ctx \\d+", "").strip();
	}

}
