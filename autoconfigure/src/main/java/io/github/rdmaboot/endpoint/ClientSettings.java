package io.github.rdmaboot.endpoint;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * Settings of a client.
 *
 * @param name the configured name
 * @param address the peer's address or host name
 * @param port the peer's port, 1 to 65535
 * @param localAddress the local address to connect from, or {@code null} to let the route
 * decide
 * @param resolveTimeout the limit of resolving the address, and that of resolving the
 * route
 * @param connectTimeout the limit of connecting once address and route are resolved
 * @param startup when to connect first
 * @param reconnect how to make a lost connection anew
 * @param queuePair the sizes of the queue pair
 * @param connection the parameters of the connection, with private data of at most 56
 * bytes
 * @param memory the memory of the connection
 * @param completion how completions are taken and handed on
 */
public record ClientSettings(String name, String address, int port, @Nullable String localAddress,
		Duration resolveTimeout, Duration connectTimeout, ClientStartup startup, ReconnectSettings reconnect,
		QueuePairSettings queuePair, ConnectionSettings connection, MemorySettings memory,
		CompletionSettings completion) implements EndpointSettings {

	/** What InfiniBand leaves of 92 bytes beside the header of librdmacm's requests. */
	private static final int MAX_PRIVATE_DATA = 56;

	public ClientSettings {
		Settings.notEmpty("name", name);
		Settings.host("address", address);
		requireHost("address", address, "that of the peer");
		if (localAddress != null) {
			Settings.host("local-address", localAddress);
			requireHost("local-address", localAddress, "one of this machine, or left out");
		}
		Settings.between("port", port, 1, 65535);
		Settings.positive("resolve-timeout", resolveTimeout);
		Settings.positive("connect-timeout", connectTimeout);
		Settings.notLonger("connection.private-data", connection.privateData(), MAX_PRIVATE_DATA);
		memory.messages().requireReceives(memory, queuePair);
	}

	// What stands for all addresses where a server listens is the name of no host.
	private static void requireHost(String setting, String value, String expected) {
		if (value.equals("*")) {
			throw new IllegalArgumentException(setting + " is * but must be " + expected);
		}
	}

}
