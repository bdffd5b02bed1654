package io.github.rdmaboot.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.cm.CmIdState;
import io.github.rdmaboot.endpoint.EndpointState;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.CmEventType;
import io.github.rdmaboot.provider.jna.Footprint;
import io.github.rdmaboot.provider.jna.KernelObjects;
import io.github.rdmaboot.provider.jna.SilentHosts;
import io.github.rdmaboot.provider.jna.SystemCommand;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Guest A's half of {@code .ci/guest/two-guests.sh}: an application context with a server
 * and a client, whose peer is the other machine, is closed after that machine or the wire
 * between the two has failed. Files in the folder {@code VM_MEET} cut the power of the
 * other guest and boot it again.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(value = 600, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TwoGuestsScenario {

	private static final Path MEET = Path.of(System.getenv().getOrDefault("VM_MEET", "."));

	private static final String WIRE_PACKETS = System.getenv().getOrDefault("WIRE_PACKETS", "udp dport 4791");

	private static final boolean IWARP = "siw".equals(System.getenv("VM_RDMA"));

	@BeforeAll
	static void giveUpOnSilentHostsSoon() throws IOException {
		// This guest is thrown away afterwards.
		SilentHosts.giveUpSoon();
	}

	private Footprint before = new Footprint("", 0, 0);

	@BeforeEach
	void bootPeerAndOpenDevice() throws IOException {
		if (Files.exists(MEET.resolve("b.is-off"))) {
			Files.delete(MEET.resolve("b.ready"));
			Files.deleteIfExists(MEET.resolve("b.is-deaf"));
			signal("b.on");
		}
		awaitFile("b.ready");
		// What the process opens once and keeps: the libraries and their device.
		TwoGuestsApplication first = TwoGuestsApplication.start();
		first.awaitConnections();
		first.close();
		this.before = Footprint.now();
	}

	@AfterEach
	void letPacketsPass() {
		if (SystemCommand.run("nft list tables").contains("inet wire")) {
			SystemCommand.run("nft delete table inet wire");
		}
	}

	@Test
	@Order(1)
	void messagesGoOnAfterAnOutageAndTheCloseIsAnOrdinaryOne() throws IOException {
		TwoGuestsApplication application = TwoGuestsApplication.start();
		application.awaitConnections();
		application.beginTraffic();
		application.awaitTraffic();
		dropPackets("input");
		makePeerDeaf();
		application.awaitSilence(Duration.ofSeconds(2));
		letPacketsPass();
		letPeerHear();
		application.awaitTraffic();
		assertThat(application.client().cmId().generation()).as("generation of the client's id").isEqualTo(1);
		close("an outage of 2 s and more in traffic, which has ended", application);
	}

	@Test
	@Order(2)
	void packetsThatAreDroppedForGoodInTrafficDoNotHoldUpTheClose() throws IOException {
		TwoGuestsApplication application = TwoGuestsApplication.start();
		application.awaitConnections();
		application.beginTraffic();
		application.awaitTraffic();
		dropPackets("input");
		makePeerDeaf();
		application.send();
		close("packets dropped for good in traffic", application);
		letPeerHear();
	}

	@Test
	@Order(3)
	void packetsThatTheOwnFirewallRefusesDoNotHoldUpTheClose() {
		TwoGuestsApplication application = TwoGuestsApplication.start();
		application.awaitConnections();
		application.beginTraffic();
		application.awaitTraffic();
		dropPackets("output");
		application.send();
		if (IWARP) {
			close("packets refused by the own firewall", application);
			return;
		}
		// A soft-RoCE device tries for ever to send what its own machine refuses, and
		// rdma_destroy_id waits for that.
		Duration took = timedClose("packets refused by the own firewall", application);
		assertThat(took).as("duration of the close").isLessThan(application.shutdownTimeout());
		assertThat(application.reports()).allSatisfy((report) -> {
			assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.TIMEOUT);
			assertThat(report.toLine()).contains("destroy-id timeout");
		});
		letPacketsPass();
		leavesNothing();
	}

	@Test
	@Order(4)
	void powerLossOfThePeerInTrafficDoesNotHoldUpTheClose() throws IOException {
		TwoGuestsApplication application = TwoGuestsApplication.start();
		application.awaitConnections();
		application.beginTraffic();
		application.awaitTraffic();
		cutPowerOfPeer();
		application.send();
		close("power loss of the peer in traffic", application);
	}

	@Test
	@Order(5)
	void powerLossOfThePeerWhileConnectingDoesNotHoldUpTheClose() throws IOException {
		makePeerDeaf();
		long queuePairs = KernelObjects.queuePairs();
		TwoGuestsApplication application = TwoGuestsApplication.start("rdma.clients.outbound.connect-timeout=120s");
		await().atMost(60, TimeUnit.SECONDS).until(() -> application.client().cmId().state() == CmIdState.CONNECTING);
		if (!IWARP) {
			// The peer has asked and never hears the answer. With iWARP it cannot even
			// ask.
			await().atMost(60, TimeUnit.SECONDS)
				.until(() -> application.server().statistics().events(CmEventType.CONNECT_REQUEST, false) > 0
						&& KernelObjects.queuePairs() >= queuePairs + 2);
		}
		cutPowerOfPeer();
		assertThat(application.client().cmId().state()).as("the client's id when the power is cut")
			.isEqualTo(CmIdState.CONNECTING);
		assertThat(application.server().connections()).as("established connections of the server").isEmpty();
		if (!IWARP) {
			close("power loss of the peer while both sides connect", application);
			return;
		}
		// On iWARP rdma_connect waits for the TCP connection; it is left behind until TCP
		// gives up.
		Duration took = timedClose("power loss of the peer inside rdma_connect", application);
		assertThat(took).as("duration of the close").isLessThan(application.shutdownTimeout());
		assertThat(application.reports()).anySatisfy((report) -> {
			assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.TIMEOUT);
			assertThat(report.toLine()).contains("quiesce timeout");
		});
		leavesNothing();
	}

	@Test
	@Order(6)
	void powerLossOfAnIdlePeerIsNoticedByTheFirstSendsOnly() throws IOException {
		TwoGuestsApplication application = TwoGuestsApplication.start("rdma.clients.endless.address=192.0.2.2",
				"rdma.clients.endless.port=7500", "rdma.clients.endless.connection.retry-count=7");
		application.awaitConnections();
		await().atMost(60, TimeUnit.SECONDS).until(() -> application.client("endless").state() == EndpointState.UP);
		cutPowerOfPeer();
		assertThat(application.client().connection().isOpen()).as("the idle connection").isTrue();
		application.send();
		application.send("endless");
		if (!IWARP) {
			long sent = System.nanoTime();
			await().atMost(120, TimeUnit.SECONDS).until(() -> application.client().lastError() != null);
			System.out.printf("two guests: retry-count 6 (the default) reports the dead peer after %d ms: %s%n",
					millisSince(sent), application.client().lastError());
			assertThat(application.client().lastError()).hasMessageContaining("IBV_WC_RETRY_EXC_ERR");
			assertThat(application.client("endless").state()).as("state with retry-count 7")
				.isEqualTo(EndpointState.UP);
		}
		close("power loss of an idle peer, then sends", application);
	}

	@Test
	@Order(7)
	void powerLossOfAnIdlePeerDoesNotHoldUpTheClose() throws IOException {
		TwoGuestsApplication application = TwoGuestsApplication.start();
		application.awaitConnections();
		cutPowerOfPeer();
		assertThat(application.client().connection().isOpen()).as("the idle connection").isTrue();
		close("power loss of an idle peer", application);
	}

	private void close(String after, TwoGuestsApplication application) {
		Duration took = timedClose(after, application);
		assertThat(took).as("duration of the close").isLessThan(application.shutdownTimeout());
		assertThat(application.reports()).allSatisfy((report) -> {
			assertThat(report.trigger()).as(report.toLine()).isEqualTo(DestroyTrigger.SHUTDOWN);
			assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
		});
		leavesNothing();
	}

	private Duration timedClose(String after, TwoGuestsApplication application) {
		long begin = System.nanoTime();
		application.close();
		long took = millisSince(begin);
		System.out.printf("two guests: %s: closed in %d ms of at most %d, %s before, %s after%n", after, took,
				application.shutdownTimeout().toMillis(), this.before, Footprint.now());
		application.reports().forEach((report) -> System.out.println("two guests: " + report.toLine()));
		return Duration.ofMillis(took);
	}

	private void leavesNothing() {
		this.before.awaitNothingMore(Duration.ofSeconds(30), "the destroy");
	}

	private static long millisSince(long begin) {
		return Duration.ofNanos(System.nanoTime() - begin).toMillis();
	}

	private static void cutPowerOfPeer() throws IOException {
		signal("b.off");
		awaitFile("b.is-off");
	}

	// Whoever waits for the file may delete it at once. Creating one under its name would
	// fail then, for the guest looks at it once more.
	private static void signal(String name) throws IOException {
		Path file = Files.createTempFile(MEET, name, ".new");
		Files.move(file, MEET.resolve(name));
	}

	private static void awaitFile(String name) {
		await(name).atMost(300, TimeUnit.SECONDS).until(() -> Files.exists(MEET.resolve(name)));
	}

	private static void dropPackets(String hook) {
		SystemCommand.run("nft add table inet wire");
		SystemCommand.run("nft add chain inet wire " + hook + " { type filter hook " + hook + " priority 0; }");
		SystemCommand.run("nft add rule inet wire " + hook + " " + WIRE_PACKETS + " drop");
	}

	private static void makePeerDeaf() throws IOException {
		signal("b.deaf");
		awaitFile("b.is-deaf");
	}

	private static void letPeerHear() throws IOException {
		Files.delete(MEET.resolve("b.is-deaf"));
		signal("b.hear");
		await().atMost(300, TimeUnit.SECONDS).until(() -> !Files.exists(MEET.resolve("b.hear")));
	}

}
