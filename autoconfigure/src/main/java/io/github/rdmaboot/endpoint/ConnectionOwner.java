package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import org.jspecify.annotations.Nullable;

/**
 * What a connection needs of the server or client that it belongs to.
 */
interface ConnectionOwner {

	String name();

	QueuePairSettings queuePairSettings();

	MemorySettings memorySettings();

	CompletionSettings completionSettings();

	// Return the receive queues that its connections share, or null if each has its own.
	@Nullable SharedReceives sharedReceives();

	EndpointStatistics statistics();

	@Nullable RdmaMessageHandler messageHandler();

	// The connection is established. Called on the event channel's thread.
	void established(RdmaConnection connection);

	// The connection has to be destroyed, and its destruction is on its way.
	void ended(RdmaConnection connection, DestroyTrigger trigger, @Nullable RuntimeException cause);

	// The connection was destroyed.
	void destroyed(RdmaConnection connection, DestroyReport report);

}
