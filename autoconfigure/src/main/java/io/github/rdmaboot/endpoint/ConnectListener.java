package io.github.rdmaboot.endpoint;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Learns of attempts to connect. Called on the thread that connects or accepts;
 * implementations return quickly and do not throw.
 */
@FunctionalInterface
public interface ConnectListener {

	/**
	 * An attempt to connect, or to accept a connection, ended.
	 * @param endpoint the configured name of the endpoint
	 * @param took how long it took
	 * @param error why it failed, or {@code null} if it succeeded
	 */
	void connectEnded(String endpoint, Duration took, @Nullable RdmaEndpointException error);

}
