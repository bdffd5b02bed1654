package io.github.rdmaboot.endpoint;

import org.jspecify.annotations.Nullable;

/**
 * Learns what became of a message that was sent, on the endpoint's handler executor.
 */
@FunctionalInterface
public interface SendCallback {

	/**
	 * The message was acknowledged by the peer's device, or will never be.
	 * @param error why not, or {@code null} if it was
	 */
	void sent(@Nullable RuntimeException error);

}
