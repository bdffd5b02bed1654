package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.jna.JnaRdmaProvider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Endpoints on the kernel: a server that sends back what it gets, and a client of it.
 */
final class NativeEcho {

	static final String ADDRESS = "192.0.2.1";

	static final int PORT = 7496;

	private NativeEcho() {
	}

	static RdmaEndpoints registry() {
		return CheckedEndpoints.create(JnaRdmaProvider::open, ShutdownSettings.defaults(), null);
	}

	static RdmaServer addServer(RdmaEndpoints registry, String address, int port) {
		RdmaServer server = registry.addServer(TestSettings.server("echo", address, port));
		server.onMessage((connection, message) -> connection.send(message, (error) -> {
		}));
		return server;
	}

	static RdmaClient addClient(RdmaEndpoints registry, String address, int port) {
		return registry
			.addClient(TestSettings.client("client", address, port, ClientStartup.BACKGROUND, TestSettings.RECONNECT));
	}

	// The process opens its first device once and keeps it, and so what belongs to it.
	static void openFirstDevice() throws Exception {
		RdmaEndpoints registry = registry();
		addServer(registry, ADDRESS, PORT);
		RdmaClient client = addClient(registry, ADDRESS, PORT);
		registry.start();
		exchange(client);
		registry.close();
	}

	static void awaitUp(RdmaClient client) {
		await().atMost(60, TimeUnit.SECONDS).until(() -> client.state() == EndpointState.UP);
	}

	static void exchange(RdmaClient client) throws Exception {
		awaitUp(client);
		RdmaConnection connection = client.connection();
		connection.send(ByteBuffer.wrap(new byte[] { 4, 2 })).get(30, TimeUnit.SECONDS);
		assertThat(connection.receive().get(30, TimeUnit.SECONDS)).containsExactly(4, 2);
	}

}
