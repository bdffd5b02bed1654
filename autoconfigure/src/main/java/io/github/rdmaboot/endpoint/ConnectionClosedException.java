package io.github.rdmaboot.endpoint;

import org.jspecify.annotations.Nullable;

/**
 * The connection was closed, by this side or by the peer, before the operation was done.
 */
public class ConnectionClosedException extends IllegalStateException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create the exception.
	 * @param message which connection and why
	 * @param cause what ended the connection, or {@code null}
	 */
	public ConnectionClosedException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
