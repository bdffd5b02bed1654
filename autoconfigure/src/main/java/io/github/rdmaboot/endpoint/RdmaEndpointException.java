package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint could not be started or lost its connection: names endpoint, address, call
 * and errno.
 */
public class RdmaEndpointException extends RdmaException {

	private static final long serialVersionUID = 1L;

	private final String endpoint;

	private final String address;

	/**
	 * Create the exception for a failed call.
	 * @param endpoint the configured name of the endpoint
	 * @param address the address that the call was about
	 * @param cause the failed call
	 */
	public RdmaEndpointException(String endpoint, String address, RdmaException cause) {
		this(endpoint, address, cause.call(), cause.errno(), cause.getMessage(), cause);
	}

	/**
	 * Create the exception.
	 * @param endpoint the configured name of the endpoint
	 * @param address the address that the call was about
	 * @param call the C function that failed
	 * @param errno the error number
	 * @param detail what happened, or {@code null} to say it by call and errno
	 * @param cause the exception behind it, or {@code null}
	 */
	public RdmaEndpointException(String endpoint, String address, String call, int errno, @Nullable String detail,
			@Nullable Throwable cause) {
		super(call, errno, "RDMA endpoint '" + endpoint + "' at " + address + ": "
				+ ((detail != null) ? detail : call + " failed with " + Errno.describe(errno)));
		this.endpoint = endpoint;
		this.address = address;
		if (cause != null) {
			initCause(cause);
		}
	}

	/**
	 * Return the configured name of the endpoint.
	 * @return the name
	 */
	public String endpoint() {
		return this.endpoint;
	}

	/**
	 * Return the address that the call was about.
	 * @return {@code host:port}
	 */
	public String address() {
		return this.address;
	}

}
