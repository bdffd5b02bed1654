package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;

/**
 * The send queue of a connection has no room for an operation, or all its message buffers
 * are in use. The errno is ETIMEDOUT after a wait and ENOMEM otherwise, as that of
 * {@code ibv_post_send}.
 */
public class SendQueueFullException extends RdmaException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create the exception.
	 * @param errno either of ETIMEDOUT and ENOMEM
	 * @param message which queue is full and what to do
	 */
	public SendQueueFullException(Errno errno, String message) {
		super("ibv_post_send", errno.value(), message);
	}

}
