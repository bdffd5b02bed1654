package io.github.rdmaboot.endpoint;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import io.github.rdmaboot.provider.jna.JnaRdmaProvider;

/**
 * Guest B's half of {@code .ci/guest/two-guests.sh}: sends back what it gets, as a server
 * that guest A connects to and as a client that connects to guest A, again and again.
 */
public final class TwoGuestsPeer {

	private TwoGuestsPeer() {
	}

	/**
	 * Run until the process is killed.
	 * @param arguments none
	 * @throws Exception if the endpoints cannot be started
	 */
	public static void main(String[] arguments) throws Exception {
		// Two guests on one machine may each be very slow for a while.
		RdmaEndpoints registry = new RdmaEndpoints(JnaRdmaProvider::open, Duration.ofSeconds(60),
				ShutdownSettings.defaults(), MemoryPoolSettings.defaults(), null);
		RdmaMessageHandler echo = (connection, message) -> connection.send(message, (error) -> {
		});
		registry.addServer(TestSettings.server("echo", "192.0.2.2", 7500)).onMessage(echo);
		registry
			.addClient(TestSettings.client("caller", "192.0.2.1", 7501, ClientStartup.BACKGROUND,
					new ReconnectSettings(true, Duration.ofMillis(200), Duration.ofMillis(500), 0.2, 0)))
			.onMessage(echo);
		registry.start();
		Files.createFile(Path.of(System.getenv("VM_MEET"), "b.ready"));
		new CountDownLatch(1).await();
	}

}
