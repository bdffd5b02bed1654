package io.github.rdmaboot.endpoint;

/**
 * Settings that servers and clients have in common.
 */
public sealed interface EndpointSettings permits ServerSettings, ClientSettings {

	/**
	 * Return the configured name.
	 * @return the name
	 */
	String name();

	/**
	 * Return the sizes of the queue pair of a connection.
	 * @return the sizes
	 */
	QueuePairSettings queuePair();

	/**
	 * Return the parameters of a connection.
	 * @return the parameters
	 */
	ConnectionSettings connection();

	/**
	 * Return the memory of a connection.
	 * @return the memory
	 */
	MemorySettings memory();

	/**
	 * Return how completions are taken and handed on.
	 * @return the mode
	 */
	CompletionSettings completion();

}
