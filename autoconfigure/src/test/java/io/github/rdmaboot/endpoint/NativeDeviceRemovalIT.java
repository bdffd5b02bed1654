package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;
import io.github.rdmaboot.provider.jna.KernelObjects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A device that goes away under endpoints, and comes back. It is the second of two:
 * librdmacm keeps the last device of a process open until the process ends.
 */
class NativeDeviceRemovalIT {

	private static final String ADDRESS = "198.51.100.1";

	private final RdmaEndpoints registry = new RdmaEndpoints(JnaRdmaProvider::open, ShutdownSettings.defaults(), null);

	private String before = "";

	@BeforeEach
	void addNetworkDevice() throws Exception {
		this.before = KernelObjects.counts();
		command("ip", "link", "add", "removable", "type", "dummy");
		command("ip", "address", "add", ADDRESS + "/24", "dev", "removable");
		command("ip", "link", "set", "removable", "up");
		addDevice();
	}

	@AfterEach
	void close() {
		this.registry.close();
	}

	@Test
	@Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	void deviceCanBeDeletedUnderItsEndpointsAndTheyWorkAgainWhenItIsBack() throws Exception {
		RdmaServer server = this.registry.addServer(TestSettings.server("echo", ADDRESS, 7495));
		server.onMessage((connection, message) -> connection.send(message, (error) -> {
		}));
		RdmaClient client = this.registry
			.addClient(TestSettings.client("client", ADDRESS, 7495, ClientStartup.REQUIRED, TestSettings.RECONNECT));
		this.registry.start();
		exchange(client);

		deleteDeviceUnder(server);
		assertThat(client.state()).isNotEqualTo(EndpointState.UP);

		addDevice();
		await().atMost(60, TimeUnit.SECONDS).until(() -> server.state() == EndpointState.UP);
		await().atMost(60, TimeUnit.SECONDS).until(() -> client.state() == EndpointState.UP);
		exchange(client);
		deleteDeviceUnder(server);
		this.registry.close();
		command("ip", "link", "delete", "removable");
		assertThat(KernelObjects.counts()).isEqualTo(this.before);
	}

	@Test
	@Timeout(value = 180, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	void serverOnAllAddressesHearsNothingOfTheRemovalAndTakesConnectionsWhenTheDeviceIsBack() throws Exception {
		RdmaServer server = this.registry.addServer(TestSettings.server("echo", "*", 7496));
		server.onMessage((connection, message) -> connection.send(message, (error) -> {
		}));
		RdmaClient client = this.registry
			.addClient(TestSettings.client("client", ADDRESS, 7496, ClientStartup.REQUIRED, TestSettings.RECONNECT));
		this.registry.start();
		exchange(client);
		command("rdma", "link", "delete", "rxe1");
		await().atMost(30, TimeUnit.SECONDS).until(() -> server.connections().isEmpty());
		assertThat(server.state()).isEqualTo(EndpointState.UP);
		assertThat(server.cmId().generation()).isEqualTo(1);
		addDevice();
		await().atMost(60, TimeUnit.SECONDS).until(() -> client.state() == EndpointState.UP);
		exchange(client);
		assertThat(server.cmId().generation()).isEqualTo(1);
		command("rdma", "link", "delete", "rxe1");
		this.registry.close();
		command("ip", "link", "delete", "removable");
		assertThat(KernelObjects.counts()).isEqualTo(this.before);
	}

	private static void deleteDeviceUnder(RdmaServer server) throws Exception {
		DestroyReport last = server.lastDestroyReport();
		command("rdma", "link", "delete", "rxe1");
		await().atMost(30, TimeUnit.SECONDS).until(() -> server.state() == EndpointState.DOWN);
		assertThat(server.lastDestroyReport()).isNotNull().isNotSameAs(last).satisfies((report) -> {
			assertThat(report.trigger()).isEqualTo(DestroyTrigger.DEVICE_REMOVAL);
			assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
		});
	}

	private static void exchange(RdmaClient client) throws Exception {
		RdmaConnection connection = client.connection();
		connection.send(ByteBuffer.wrap(new byte[] { 4, 2 })).get(30, TimeUnit.SECONDS);
		assertThat(connection.receive().get(30, TimeUnit.SECONDS)).containsExactly(4, 2);
	}

	private static void addDevice() throws Exception {
		command("rdma", "link", "add", "rxe1", "type", "rxe", "netdev", "removable");
	}

	// With a limit, because deleting a device waits for everybody who uses it.
	private static String command(String... command) throws Exception {
		Process process = new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
		try {
			assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("%s ended within 60 s", List.of(command)).isTrue();
			String output = new String(process.getInputStream().readAllBytes());
			assertThat(process.exitValue()).as("%s: %s", List.of(command), output).isZero();
			return output;
		}
		finally {
			process.destroyForcibly();
		}
	}

}
