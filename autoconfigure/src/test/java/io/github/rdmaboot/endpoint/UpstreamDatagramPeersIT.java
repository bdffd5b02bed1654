package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import io.github.rdmaboot.endpoint.DatagramEndpointContract.Received;
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
 * Our datagram endpoints with rdma-core's {@code udaddy} and {@code mckey} as peers.
 */
class UpstreamDatagramPeersIT {

	private static final String ADDRESS = "192.0.2.1";

	private static final String GROUP = "239.1.2.3";

	/** Where udaddy listens, which it cannot be told. */
	private static final int UDADDY_PORT = 7174;

	private static final int HEADER = 40;

	private static final int SIZE = 100;

	private static final int COUNT = 10;

	private final RdmaEndpoints registry = CheckedEndpoints.create(JnaRdmaProvider::open, ShutdownSettings.defaults(),
			null);

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
	void udaddyIsToldOurQueuePairAndAnswered() throws Exception {
		RdmaDatagramEndpoint echo = this.registry.addDatagrams(TestSettings.datagrams("echo", ADDRESS, UDADDY_PORT));
		BlockingQueue<Received> received = new LinkedBlockingQueue<>();
		echo.onDatagram((datagram) -> {
			received.add(Received.of(datagram));
			datagram.reply(datagram.data());
		});
		this.registry.start();
		UpstreamProgram peer = UpstreamProgram.start("udaddy", "-s", ADDRESS, "-C", String.valueOf(COUNT), "-S",
				String.valueOf(SIZE));
		assertThat(peer.exitStatus()).as("exit status of udaddy, which has got %d answers", COUNT).isZero();
		assertThat(received).hasSize(COUNT).allSatisfy((datagram) -> {
			assertThat(datagram.bytes()).hasSize(SIZE);
			// udaddy sends the number of its queue pair as immediate data.
			assertThat(datagram.immediate()).isEqualTo(datagram.sender().qpNum()).isPositive();
			assertThat(datagram.sender().address()).isEqualTo(InetAddress.getByName(ADDRESS));
		});
		assertThat(echo.addressHandles()).isEqualTo(1);
	}

	@Test
	void udaddyTellsUsItsQueuePairAndAnswersWithOurBytes() throws Exception {
		RdmaDatagramEndpoint asker = this.registry.addDatagrams(TestSettings.datagrams("asker", ADDRESS, null));
		BlockingQueue<Received> answers = DatagramEndpointContract.collect(asker);
		this.registry.start();
		UpstreamProgram peer = UpstreamProgram.start("udaddy", "-b", ADDRESS, "-C", String.valueOf(COUNT), "-S",
				String.valueOf(SIZE));
		DatagramPeer service = await().atMost(Duration.ofSeconds(30))
			.ignoreExceptions()
			.until(() -> DatagramEndpointContract.get(asker.resolve(ADDRESS, UDADDY_PORT)), Objects::nonNull);
		byte[] message = DatagramEndpointContract.random(SIZE);
		for (int i = 0; i < COUNT; i++) {
			// udaddy answers to the queue pair in the immediate data.
			DatagramEndpointContract
				.get(asker.sendWithImmediate(service, ByteBuffer.wrap(message), asker.cmId().qpNum()));
		}
		for (int i = 0; i < COUNT; i++) {
			Received answer = DatagramEndpointContract.next(answers);
			assertThat(answer.bytes()).hasSize(SIZE);
			// It sends back the begin of its receive buffer, where a header precedes the
			// message.
			assertThat(Arrays.copyOfRange(answer.bytes(), HEADER, SIZE))
				.isEqualTo(Arrays.copyOf(message, SIZE - HEADER));
			assertThat(answer.immediate()).isEqualTo(service.qpNum());
			assertThat(answer.sender().qpNum()).isEqualTo(service.qpNum());
		}
		assertThat(peer.exitStatus()).as("exit status of udaddy").isZero();
	}

	@Test
	void mckeyReceivesWhatWeSendToItsGroup() throws Exception {
		RdmaDatagramEndpoint sender = this.registry
			.addDatagrams(TestSettings.datagrams("sender", ADDRESS, null, GROUP));
		this.registry.start();
		DatagramPeer group = Objects.requireNonNull(sender.groups().get(InetAddress.getByName(GROUP)));
		UpstreamProgram peer = UpstreamProgram.start("mckey", "-m", GROUP, "-b", ADDRESS, "-C", String.valueOf(COUNT),
				"-S", String.valueOf(SIZE));
		// What is sent before it has joined is lost, and so is what it has no receive
		// for.
		await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(100)).until(() -> {
			sender.send(group, ByteBuffer.allocate(SIZE));
			return !peer.isRunning();
		});
		assertThat(peer.exitStatus()).as("exit status of mckey, which has got %d datagrams", COUNT).isZero();
	}

	@Test
	void weReceiveWhatMckeySendsToOurGroup() throws Exception {
		RdmaDatagramEndpoint member = this.registry
			.addDatagrams(TestSettings.datagrams("member", ADDRESS, null, GROUP));
		BlockingQueue<Received> received = DatagramEndpointContract.collect(member);
		this.registry.start();
		UpstreamProgram peer = UpstreamProgram.start("mckey", "-m", GROUP, "-s", "-b", ADDRESS, "-C",
				String.valueOf(COUNT), "-S", String.valueOf(SIZE));
		assertThat(peer.exitStatus()).as("exit status of mckey").isZero();
		for (int i = 0; i < COUNT; i++) {
			Received datagram = DatagramEndpointContract.next(received);
			assertThat(datagram.bytes()).hasSize(SIZE);
			assertThat(datagram.immediate()).isEqualTo(datagram.sender().qpNum()).isPositive();
		}
	}

}
