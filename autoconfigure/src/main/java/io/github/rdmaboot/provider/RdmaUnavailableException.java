package io.github.rdmaboot.provider;

/**
 * RDMA cannot be used on this machine or by this process.
 */
public class RdmaUnavailableException extends RdmaException {

	private static final long serialVersionUID = 1L;

	private final Cause reason;

	private final String action;

	/**
	 * Create the exception.
	 * @param reason what is missing
	 * @param call the C function that showed it
	 * @param errno the error number that it gave
	 * @param message what happened
	 * @param action what to do about it
	 */
	public RdmaUnavailableException(Cause reason, String call, int errno, String message, String action) {
		super(call, errno, message);
		this.reason = reason;
		this.action = action;
	}

	/**
	 * Return what is missing.
	 * @return the reason
	 */
	public Cause reason() {
		return this.reason;
	}

	/**
	 * Return what to do about it.
	 * @return one or more sentences
	 */
	public String action() {
		return this.action;
	}

	/**
	 * What is missing.
	 */
	public enum Cause {

		/** The starter does not know this operating system, architecture or word size. */
		UNSUPPORTED_PLATFORM,

		/** JNA or its native part is missing or may not be loaded. */
		NATIVE_ACCESS_MISSING,

		/** The library {@code librdmacm.so.1} or {@code libibverbs.so.1} is missing. */
		LIBRARY_MISSING,

		/** The library is not laid out as the starter expects. */
		LIBRARY_UNKNOWN,

		/** The kernel has no RDMA support loaded. */
		NO_KERNEL_SUPPORT,

		/** The kernel offers a CM interface version that the library does not know. */
		KERNEL_ABI_UNKNOWN,

		/** The file {@code /dev/infiniband/rdma_cm} is missing. */
		CM_DEVICE_MISSING,

		/**
		 * The file {@code /dev/infiniband/rdma_cm} or a device's file is not accessible.
		 */
		CM_DEVICE_NOT_ACCESSIBLE,

		/** The user space driver of the devices is missing. */
		DRIVER_LIBRARY_MISSING,

		/** There is no RDMA device. */
		NO_DEVICE

	}

}
