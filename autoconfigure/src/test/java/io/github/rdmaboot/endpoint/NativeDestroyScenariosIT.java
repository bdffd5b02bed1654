package io.github.rdmaboot.endpoint;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.jna.Footprint;
import io.github.rdmaboot.provider.jna.SystemCommand;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Destroys after everything that can befall endpoints in one machine: in the end the
 * kernel's objects, the open files and the threads are those of before. What a removed
 * device leaves is in {@link NativeDeviceRemovalIT}.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NativeDestroyScenariosIT {

	private static final int PORT = 7497;

	private final RdmaEndpoints registry = NativeEcho.registry();

	private Footprint before = new Footprint("", 0, 0);

	@BeforeEach
	void openFirstDevice() throws Exception {
		NativeEcho.openFirstDevice();
		this.before = Footprint.now();
	}

	@AfterEach
	void close() {
		SystemCommand.run("ip link set dummy0 up");
		this.registry.close();
	}

	@Test
	void ordinaryCloseLeavesNothing() throws Exception {
		NativeEcho.addServer(this.registry, NativeEcho.ADDRESS, PORT);
		RdmaClient client = NativeEcho.addClient(this.registry, NativeEcho.ADDRESS, PORT);
		this.registry.start();
		NativeEcho.exchange(client);
		destroyAndReport("ordinary close");
		leavesNothing();
	}

	@Test
	void serverWhoseClientWasKilledLeavesNothing() throws Exception {
		RdmaServer server = NativeEcho.addServer(this.registry, NativeEcho.ADDRESS, PORT);
		this.registry.start();
		Process peer = connectPeerTo(server);
		kill(peer);
		await().atMost(60, TimeUnit.SECONDS).until(() -> server.connections().isEmpty());
		destroyAndReport("client killed");
		leavesNothing();
	}

	@Test
	void clientWhoseServerWasKilledLeavesNothing() throws Exception {
		Process peer = listenAsPeer();
		RdmaClient client = NativeEcho.addClient(this.registry, NativeEcho.ADDRESS, PORT);
		this.registry.start();
		NativeEcho.awaitUp(client);
		kill(peer);
		await().atMost(60, TimeUnit.SECONDS).until(() -> client.state() != EndpointState.UP);
		destroyAndReport("server killed");
		leavesNothing();
	}

	@Test
	void serverWhoseClientIsSilentWaitsOneGracePeriodAndLeavesNothing() throws Exception {
		RdmaServer server = NativeEcho.addServer(this.registry, NativeEcho.ADDRESS, PORT);
		this.registry.start();
		Process peer = connectPeerTo(server);
		stopAndDestroy(peer, "client silent");
	}

	@Test
	void clientWhoseServerIsSilentWaitsOneGracePeriodAndLeavesNothing() throws Exception {
		Process peer = listenAsPeer();
		RdmaClient client = NativeEcho.addClient(this.registry, NativeEcho.ADDRESS, PORT);
		this.registry.start();
		NativeEcho.awaitUp(client);
		stopAndDestroy(peer, "server silent");
	}

	@Test
	void clientWhoseServerNeverAnswersTheRequestIsToldInTimeAndLeavesNothing() throws Exception {
		Process peer = listenAsPeer();
		SystemCommand.run("kill -STOP " + peer.pid());
		RdmaClient client = this.registry.addClient(TestSettings.client("client", NativeEcho.ADDRESS, PORT,
				ClientStartup.LAZY, TestSettings.NO_RECONNECT, Duration.ofSeconds(2)));
		this.registry.start();
		long begin = System.nanoTime();
		assertThat(client.connect()).failsWithin(Duration.ofSeconds(30))
			.withThrowableThat()
			.withMessageContaining("rdma_connect got no answer within 2000 ms");
		System.out.printf("destroy scenario: no answer to the request: told after %d ms%n",
				Duration.ofNanos(System.nanoTime() - begin).toMillis());
		destroyAndReport("no answer to the request");
		kill(peer);
		leavesNothing();
	}

	// A stopped process: its machine answers for the network, and nobody answers the
	// disconnect.
	private void stopAndDestroy(Process peer, String what) throws Exception {
		SystemCommand.run("kill -STOP " + peer.pid());
		Duration took = destroyAndReport(what);
		assertThat(took).as("destroy with one grace period")
			.isLessThan(ShutdownSettings.defaults().disconnectGrace().plusSeconds(5));
		kill(peer);
		leavesNothing();
	}

	@Test
	void outageOfTheLinkIsSurvivedAndLeavesNothing() throws Exception {
		NativeEcho.addServer(this.registry, NativeEcho.ADDRESS, PORT);
		RdmaClient client = NativeEcho.addClient(this.registry, NativeEcho.ADDRESS, PORT);
		this.registry.start();
		NativeEcho.exchange(client);
		SystemCommand.run("ip link set dummy0 down");
		await().atMost(30, TimeUnit.SECONDS).until(() -> !isLinkActive());
		SystemCommand.run("ip link set dummy0 up");
		await().atMost(30, TimeUnit.SECONDS).until(NativeDestroyScenariosIT::isLinkActive);
		NativeEcho.exchange(client);
		destroyAndReport("outage and return");
		leavesNothing();
	}

	private static boolean isLinkActive() {
		return SystemCommand.run("rdma link show").contains("state ACTIVE");
	}

	@Test
	void thousandConnectionsAreDestroyedTogetherAndLeaveNothing() throws Exception {
		if (!SecondDevice.isIwarp()) {
			connectAndDestroy(1000);
			return;
		}
		try (SoftIwarpMappings mappings = new SoftIwarpMappings(NativeEcho.ADDRESS)) {
			this.before = Footprint.now();
			connectAndDestroy(1000);
		}
	}

	private void connectAndDestroy(int many) throws Exception {
		CountDownLatch established = new CountDownLatch(2 * many);
		this.registry.addConnectListener((endpoint, took, error) -> {
			if (error == null) {
				established.countDown();
			}
		});
		MemorySettings memory = new MemorySettings(64, 2);
		this.registry.addServer(new ServerSettings("echo", NativeEcho.ADDRESS, PORT, 0, TestSettings.QUEUE_PAIR,
				TestSettings.CONNECTION, memory, CompletionSettings.defaults()));
		Duration patience = Duration.ofSeconds(120);
		for (int i = 0; i < many; i++) {
			this.registry.addClient(new ClientSettings("client-" + i, NativeEcho.ADDRESS, PORT, null, patience,
					patience, ClientStartup.BACKGROUND, TestSettings.RECONNECT, TestSettings.QUEUE_PAIR,
					TestSettings.CONNECTION, memory, CompletionSettings.defaults()));
		}
		this.registry.start();
		assertThat(established.await(240, TimeUnit.SECONDS)).as("%d ends missing", established.getCount()).isTrue();
		destroyAndReport(many + " connections");
		leavesNothing();
	}

	private Duration destroyAndReport(String what) {
		long begin = System.nanoTime();
		List<DestroyReport> reports = this.registry.destroyAll(DestroyTrigger.SHUTDOWN);
		Duration took = Duration.ofNanos(System.nanoTime() - begin);
		System.out.printf("destroy scenario: %s: %d endpoints destroyed in %d ms%n", what, reports.size(),
				took.toMillis());
		assertThat(reports).isNotEmpty()
			.allSatisfy((report) -> assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS));
		return took;
	}

	private void leavesNothing() {
		this.registry.close();
		this.before.awaitNothingMore(Duration.ofSeconds(15), "the destroy");
	}

	// rping takes part in a connection and says nothing that would end it.
	private static Process connectPeerTo(RdmaServer server) throws IOException {
		Process peer = rping("-c");
		await().atMost(60, TimeUnit.SECONDS).until(() -> server.connections().size() == 1);
		return peer;
	}

	private static Process listenAsPeer() throws IOException {
		Process peer = rping("-s");
		await().atMost(60, TimeUnit.SECONDS)
			.until(() -> SystemCommand.run("rdma resource show cm_id").contains(NativeEcho.ADDRESS + ":" + PORT));
		return peer;
	}

	private static Process rping(String side) throws IOException {
		return new ProcessBuilder("rping", side, "-a", NativeEcho.ADDRESS, "-p", String.valueOf(PORT))
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.redirectError(ProcessBuilder.Redirect.DISCARD)
			.start();
	}

	private static void kill(Process peer) throws InterruptedException {
		peer.destroyForcibly();
		assertThat(peer.waitFor(30, TimeUnit.SECONDS)).as("the killed peer is gone").isTrue();
	}

}
