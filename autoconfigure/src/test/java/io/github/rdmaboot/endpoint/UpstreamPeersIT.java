package io.github.rdmaboot.endpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;
import io.github.rdmaboot.provider.jna.KernelObjects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Our endpoints with the example programs of rdma-core as peers.
 */
class UpstreamPeersIT {

	private static final String ADDRESS = "192.0.2.1";

	private final RdmaEndpoints registry = new RdmaEndpoints(JnaRdmaProvider::open, ShutdownSettings.defaults(), null);

	private String before = "";

	@BeforeEach
	void countKernelObjects() {
		this.before = KernelObjects.counts();
	}

	@AfterEach
	void leavesNoKernelObjects() {
		assertThat(this.registry.destroyAll(DestroyTrigger.SHUTDOWN))
			.allSatisfy((report) -> assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS));
		this.registry.close();
		assertThat(KernelObjects.counts()).isEqualTo(this.before);
	}

	@Test
	void rdmaClientCompletesAgainstOurServer() throws Exception {
		RdmaServer server = this.registry.addServer(TestSettings.server("echo", ADDRESS, 7471));
		server.onMessage((connection, message) -> connection.send(message, (error) -> {
		}));
		this.registry.start();
		Process peer = start("rdma_client", "-s", ADDRESS, "-p", "7471");
		assertThat(exitStatus(peer)).as("exit status of rdma_client").isZero();
		assertThat(server.statistics().bytesReceived()).isEqualTo(16);
		await().atMost(30, TimeUnit.SECONDS).until(() -> server.connections().isEmpty());
	}

	@Test
	void ourClientCompletesAgainstRdmaServer() throws Exception {
		Process peer = start("rdma_server", "-s", ADDRESS, "-p", "7472");
		RdmaClient client = this.registry.addClient(
				TestSettings.client("upstream", ADDRESS, 7472, ClientStartup.BACKGROUND, TestSettings.RECONNECT));
		this.registry.start();
		await().atMost(30, TimeUnit.SECONDS).until(() -> client.state() == EndpointState.UP);
		RdmaConnection connection = client.connection();
		connection.send(ByteBuffer.allocate(16)).get(30, TimeUnit.SECONDS);
		assertThat(connection.receive().get(30, TimeUnit.SECONDS)).hasSize(16);
		connection.close().get(30, TimeUnit.SECONDS);
		assertThat(exitStatus(peer)).as("exit status of rdma_server").isZero();
	}

	private static Process start(String... command) throws IOException {
		return new ProcessBuilder(List.of(command)).inheritIO().start();
	}

	private static int exitStatus(Process process) throws InterruptedException {
		try {
			assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("%s ended within 60 s", process.info()).isTrue();
			return process.exitValue();
		}
		finally {
			process.destroyForcibly();
		}
	}

}
