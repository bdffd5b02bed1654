package io.github.rdmaboot.endpoint;

import org.jspecify.annotations.Nullable;

/**
 * Learns what became of an operation. It may be used for any number of operations, also
 * at the same time, and then none of them allocates anything for it.
 */
@FunctionalInterface
public interface OperationCallback {

	/**
	 * The operation was done, or will never be; called exactly once for each.
	 * @param result of a compare and swap or fetch and add the value that the peer's
	 * memory had before, of any other operation how many bytes were transferred; 0 if it
	 * failed
	 * @param error why it was not done: an {@link RdmaOperationException} if it failed
	 * itself, a {@link ConnectionClosedException} if the connection ended before; or
	 * {@code null} if it was done
	 */
	void completed(long result, @Nullable RuntimeException error);

}
