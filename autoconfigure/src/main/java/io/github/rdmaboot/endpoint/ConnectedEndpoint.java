package io.github.rdmaboot.endpoint;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import org.jspecify.annotations.Nullable;

/**
 * What servers and clients have in common: their connections. The monitor of this object
 * guards the numbers of connections; no native call is made under it.
 */
abstract class ConnectedEndpoint extends ManagedEndpoint implements RdmaConnectionEndpoint {

	private final EndpointSettings settings;

	private final Map<Long, RdmaConnection> connections = new ConcurrentHashMap<>();

	private long numbers;

	private volatile @Nullable RdmaMessageHandler messageHandler;

	ConnectedEndpoint(RdmaEndpoints registry, EndpointSettings settings, String what, ReconnectSettings relisten) {
		super(registry, settings.name(), what, relisten);
		this.settings = settings;
	}

	// Add a connection unless the endpoint is being destroyed.
	@Nullable RdmaConnection addConnection(ConnectionFactory factory) {
		synchronized (this) {
			EndpointRuntime runtime = runtime();
			if (runtime == null) {
				return null;
			}
			RdmaConnection connection = factory.create(runtime, ++this.numbers);
			this.connections.put(connection.number(), connection);
			return connection;
		}
	}

	// A connection is established. Called on the event channel's thread.
	abstract void established(RdmaConnection connection);

	// A connection has to be destroyed, and its destruction is on its way.
	abstract void ended(RdmaConnection connection, DestroyTrigger trigger, @Nullable RuntimeException cause);

	// A connection was destroyed.
	void destroyed(RdmaConnection connection, DestroyReport report) {
		this.connections.remove(connection.number());
		remember(report);
	}

	@Override
	Collection<RdmaConnection> allConnections() {
		return this.connections.values();
	}

	@Override
	public void onMessage(RdmaMessageHandler handler) {
		this.messageHandler = handler;
		this.connections.values().forEach(RdmaConnection::serveInbox);
	}

	QueuePairSettings queuePairSettings() {
		return this.settings.queuePair();
	}

	MemorySettings memorySettings() {
		return this.settings.memory();
	}

	CompletionSettings completionSettings() {
		return this.settings.completion();
	}

	// Return the receive queues that its connections share, or null if each has its own.
	abstract @Nullable SharedReceives sharedReceives();

	@Nullable RdmaMessageHandler messageHandler() {
		return this.messageHandler;
	}

	/**
	 * Makes a connection.
	 */
	@FunctionalInterface
	interface ConnectionFactory {

		/**
		 * Make the connection.
		 * @param runtime what started endpoints share
		 * @param number the number of the connection
		 * @return the connection
		 */
		RdmaConnection create(EndpointRuntime runtime, long number);

	}

}
