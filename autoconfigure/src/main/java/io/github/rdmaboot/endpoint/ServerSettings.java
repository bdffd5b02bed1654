package io.github.rdmaboot.endpoint;

/**
 * Settings of a server.
 *
 * @param name the configured name
 * @param address the local address or host name to listen on, or {@code *} for all
 * @param port the port to listen on, 0 to 65535; 0 takes an ephemeral one
 * @param backlog how many connection requests may wait to be fetched; 0 takes the
 * system's maximum
 * @param queuePair the sizes of the queue pairs
 * @param connection the parameters of the connections, with private data of at most 196
 * bytes
 * @param memory the memory of each connection
 * @param completion how completions are taken and handed on
 * @param relisten how to listen again after the device was removed that has the address
 * @param sharedReceiveQueueSize how many buffers for receiving the connections on a
 * device share, 0 to 16384; with 0 each connection has buffers of its own. They must take
 * less than 2 GB
 */
public record ServerSettings(String name, String address, int port, int backlog, QueuePairSettings queuePair,
		ConnectionSettings connection, MemorySettings memory, CompletionSettings completion, ReconnectSettings relisten,
		int sharedReceiveQueueSize) implements EndpointSettings {

	/** What InfiniBand carries beside the answer to a request. */
	private static final int MAX_PRIVATE_DATA = 196;

	private static final int MAX_SHARED_RECEIVES = 16384;

	/** A direct buffer, less what aligning it to pages takes. */
	private static final int MAX_SHARED_MEMORY = Integer.MAX_VALUE - 8192;

	public ServerSettings {
		Settings.notEmpty("name", name);
		Settings.host("address", address);
		Settings.between("port", port, 0, 65535);
		Settings.atLeast("backlog", backlog, 0);
		Settings.notLonger("connection.private-data", connection.privateData(), MAX_PRIVATE_DATA);
		Settings.between("shared-receive-queue.size", sharedReceiveQueueSize, 0, Math.min(MAX_SHARED_RECEIVES,
				MAX_SHARED_MEMORY / (memory.bufferSize() + memory.messages().maxHeaderLength())));
		memory.messages().requireReceives(memory, queuePair);
		if (memory.messages().isCounting() && sharedReceiveQueueSize > 0) {
			throw new IllegalArgumentException("shared-receive-queue.size is " + sharedReceiveQueueSize
					+ " but must be 0 with messages.flow-control=credits, which grant buffers to each connection by itself");
		}
	}

	/**
	 * Create settings of a server that listens again after its device was removed, and
	 * whose connections have buffers of their own.
	 * @param name the configured name
	 * @param address the local address or host name to listen on, or {@code *} for all
	 * @param port the port to listen on, 0 to 65535; 0 takes an ephemeral one
	 * @param backlog how many connection requests may wait to be fetched; 0 takes the
	 * system's maximum
	 * @param queuePair the sizes of the queue pairs
	 * @param connection the parameters of the connections
	 * @param memory the memory of each connection
	 * @param completion how completions are taken and handed on
	 */
	public ServerSettings(String name, String address, int port, int backlog, QueuePairSettings queuePair,
			ConnectionSettings connection, MemorySettings memory, CompletionSettings completion) {
		this(name, address, port, backlog, queuePair, connection, memory, completion, ReconnectSettings.defaults(), 0);
	}

}
