package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.github.rdmaboot.provider.RdmaProvider;
import org.jspecify.annotations.Nullable;

/**
 * Settings for tests, with short limits.
 */
final class TestSettings {

	static final QueuePairSettings QUEUE_PAIR = new QueuePairSettings(8, 8, 1, 1, 0);

	static final ConnectionSettings CONNECTION = new ConnectionSettings(1, 1, 6, 7, new byte[0], null, null);

	static final MemorySettings MEMORY = new MemorySettings(64 * 1024, 8);

	static final ReconnectSettings RECONNECT = new ReconnectSettings(true, Duration.ofMillis(20),
			Duration.ofMillis(200), 0.2, 0);

	static final ReconnectSettings NO_RECONNECT = new ReconnectSettings(false, Duration.ofMillis(20),
			Duration.ofMillis(200), 0.2, 0);

	private TestSettings() {
	}

	// A registry whose calls have one limit, whether they are of a destroy or not.
	static RdmaEndpoints registry(Supplier<? extends RdmaProvider> providers, ShutdownSettings shutdown,
			@Nullable Executor handlerExecutor) {
		return CheckedEndpoints.create(providers, shutdown.destroyTimeout(), shutdown, MemoryPoolSettings.defaults(),
				handlerExecutor);
	}

	static ServerSettings server(String name, String address, int port) {
		return server(name, address, port, CompletionSettings.defaults());
	}

	static ServerSettings server(String name, String address, int port, CompletionSettings completion) {
		return new ServerSettings(name, address, port, 16, QUEUE_PAIR, CONNECTION, MEMORY, completion);
	}

	static ClientSettings client(String name, String address, int port, CompletionSettings completion) {
		return client(name, address, port, ClientStartup.BACKGROUND, NO_RECONNECT, Duration.ofSeconds(5), completion);
	}

	static ClientSettings client(String name, String address, int port, ClientStartup startup,
			ReconnectSettings reconnect) {
		return client(name, address, port, startup, reconnect, Duration.ofSeconds(5));
	}

	static ClientSettings client(String name, String address, int port, ClientStartup startup,
			ReconnectSettings reconnect, Duration connectTimeout) {
		return client(name, address, port, startup, reconnect, connectTimeout, CompletionSettings.defaults());
	}

	static ClientSettings client(String name, String address, int port, ClientStartup startup,
			ReconnectSettings reconnect, Duration connectTimeout, CompletionSettings completion) {
		return new ClientSettings(name, address, port, null, Duration.ofSeconds(2), connectTimeout, startup, reconnect,
				QUEUE_PAIR, CONNECTION, MEMORY, completion);
	}

	static DatagramSettings datagrams(String name, String address, Integer port, String... groups) {
		return new DatagramSettings(name, address, port, 16, Duration.ofSeconds(2), Duration.ofSeconds(5),
				Arrays.stream(groups).map(TestSettings::literal).toList(), 16, 64, null, CompletionSettings.defaults(),
				RECONNECT);
	}

	static InetAddress literal(String address) {
		try {
			return InetAddress.getByName(address);
		}
		catch (UnknownHostException ex) {
			throw new IllegalArgumentException(ex);
		}
	}

}
