package io.github.rdmaboot.provider;

/**
 * A call of librdmacm or libibverbs failed.
 */
public class RdmaException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String call;

	private final int errno;

	/**
	 * Create the exception for a failed call.
	 * @param call the C function
	 * @param errno the error number
	 */
	public RdmaException(String call, int errno) {
		this(call, errno, call + " failed with " + Errno.describe(errno));
	}

	/**
	 * Create the exception with a text of its own.
	 * @param call the C function
	 * @param errno the error number
	 * @param message what happened, naming call and errno
	 */
	public RdmaException(String call, int errno, String message) {
		super(message);
		this.call = call;
		this.errno = errno;
	}

	/**
	 * Return the C function that failed.
	 * @return the function's name
	 */
	public String call() {
		return this.call;
	}

	/**
	 * Return the error number.
	 * @return the error number, positive
	 */
	public int errno() {
		return this.errno;
	}

}
