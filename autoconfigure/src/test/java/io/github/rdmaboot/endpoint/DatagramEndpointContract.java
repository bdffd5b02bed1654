package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.cm.CmIdState;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyStepName;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.verbs.CompletionMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * What datagram endpoints do, on any provider.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class DatagramEndpointContract {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final int MULTICAST_QP = 0xffffff;

	private final List<RdmaEndpoints> registries = new ArrayList<>();

	/**
	 * Return a provider; each start of a registry asks for one.
	 * @return the provider
	 */
	abstract RdmaProvider openProvider();

	/**
	 * Return an address of this host that has a device.
	 * @return the address
	 */
	abstract String localAddress();

	/**
	 * Return an address that is not one of this host.
	 * @return the address
	 */
	abstract String foreignAddress();

	/**
	 * Return what the provider counts of native objects, to compare.
	 * @return the counts
	 */
	abstract String nativeObjects();

	@AfterEach
	void closeRegistries() {
		this.registries.forEach(RdmaEndpoints::close);
	}

	RdmaEndpoints registry() {
		RdmaEndpoints registry = CheckedEndpoints.create(this::openProvider, new ShutdownSettings(
				Duration.ofSeconds(20), Duration.ofSeconds(3), Duration.ofSeconds(2), Duration.ofSeconds(5)), null);
		this.registries.add(registry);
		return registry;
	}

	RdmaDatagramEndpoint echo(RdmaEndpoints registry, String... groups) {
		RdmaDatagramEndpoint echo = registry.addDatagrams(TestSettings.datagrams("echo", localAddress(), 0, groups));
		echo.onDatagram((datagram) -> datagram.reply(datagram.data()));
		return echo;
	}

	RdmaDatagramEndpoint asker(RdmaEndpoints registry, String... groups) {
		return registry.addDatagrams(TestSettings.datagrams("asker", localAddress(), null, groups));
	}

	static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
	}

	static BlockingQueue<Received> collect(RdmaDatagramEndpoint endpoint) {
		BlockingQueue<Received> received = new LinkedBlockingQueue<>();
		endpoint.onDatagram((datagram) -> received.add(Received.of(datagram)));
		return received;
	}

	static Received next(BlockingQueue<Received> received) throws InterruptedException {
		Received next = received.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		assertThat(next).as("datagram within %s", PATIENCE).isNotNull();
		return Objects.requireNonNull(next);
	}

	static byte[] random(int size) {
		byte[] bytes = new byte[size];
		new Random(size).nextBytes(bytes);
		return bytes;
	}

	@Test
	void datagramsOfAllSizesComeBackByteForByteWithoutTheirHeader() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaDatagramEndpoint echo = echo(registry);
		RdmaDatagramEndpoint asker = asker(registry);
		BlockingQueue<Received> answers = collect(asker);
		registry.start();
		DatagramPeer peer = get(asker.resolve(localAddress(), echo.port()));
		assertThat(peer.qpNum()).isEqualTo(echo.cmId().qpNum());
		assertThat(peer.address()).isEqualTo(InetAddress.getByName(localAddress()));
		int max = asker.maxMessageSize();
		for (int size : new int[] { 0, 1, 39, 40, 41, max - 1, max }) {
			get(asker.send(peer, ByteBuffer.wrap(random(size))));
			Received answer = next(answers);
			assertThat(answer.bytes()).as("datagram of %d bytes", size).isEqualTo(random(size));
			assertThat(answer.sender().qpNum()).isEqualTo(echo.cmId().qpNum());
			assertThat(answer.sender().address()).isEqualTo(InetAddress.getByName(localAddress()));
			assertThat(answer.hasImmediate()).isFalse();
		}
		assertThat(echo.statistics().messagesReceived()).isEqualTo(7);
		assertThat(echo.statistics().bytesReceived()).isEqualTo(1 + 39 + 40 + 41 + max - 1 + max);
		await().atMost(PATIENCE).until(() -> echo.statistics().messagesSent() == 7);
	}

	@Test
	void sendersOfOneQueuePairAreEqualAndShareAnAddressHandle() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaDatagramEndpoint echo = echo(registry);
		RdmaDatagramEndpoint asker = asker(registry);
		BlockingQueue<Received> answers = collect(asker);
		registry.start();
		assertThat(asker.addressHandles()).isZero();
		DatagramPeer peer = get(asker.resolve(localAddress(), echo.port()));
		DatagramPeer again = get(asker.resolve(localAddress(), echo.port()));
		assertThat(again).isEqualTo(peer).hasSameHashCodeAs(peer);
		get(asker.send(peer, ByteBuffer.wrap(random(9))));
		Received first = next(answers);
		get(asker.send(again, ByteBuffer.wrap(random(9))));
		Received second = next(answers);
		assertThat(second.sender()).isSameAs(first.sender());
		assertThat(asker.addressHandles()).isEqualTo(1);
		assertThat(echo.addressHandles()).isEqualTo(1);
	}

	@Test
	void handlersMayRunOnTheThreadThatTakesTheCompletions() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaDatagramEndpoint echo = registry.addDatagrams(new DatagramSettings("echo", localAddress(), 0, 16, PATIENCE,
				PATIENCE, List.of(), 16, 64, null,
				CompletionSettings.of(CompletionMode.EVENT, HandlerThread.COMPLETION_THREAD), TestSettings.RECONNECT));
		Set<String> threads = ConcurrentHashMap.newKeySet();
		echo.onDatagram((datagram) -> {
			threads.add(Thread.currentThread().getName());
			datagram.reply(datagram.data());
		});
		RdmaDatagramEndpoint asker = asker(registry);
		BlockingQueue<Received> answers = collect(asker);
		registry.start();
		DatagramPeer peer = get(asker.resolve(localAddress(), echo.port()));
		for (int i = 0; i < 100; i++) {
			get(asker.send(peer, ByteBuffer.wrap(random(i))));
			assertThat(next(answers).bytes()).isEqualTo(random(i));
		}
		assertThat(threads).singleElement().asString().contains("-cq-");
	}

	@Test
	void immediateDataArrivesWithTheDatagram() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaDatagramEndpoint sink = registry.addDatagrams(TestSettings.datagrams("sink", localAddress(), 0));
		BlockingQueue<Received> received = collect(sink);
		RdmaDatagramEndpoint asker = asker(registry);
		registry.start();
		DatagramPeer peer = get(asker.resolve(localAddress(), sink.port()));
		get(asker.sendWithImmediate(peer, ByteBuffer.wrap(random(5)), 0x80123456));
		Received datagram = next(received);
		assertThat(datagram.hasImmediate()).isTrue();
		assertThat(datagram.immediate()).isEqualTo(0x80123456);
		assertThat(datagram.bytes()).isEqualTo(random(5));
	}

	@Test
	void senderCanBeAnsweredLongAfterItsDatagram() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaDatagramEndpoint sink = registry.addDatagrams(TestSettings.datagrams("sink", localAddress(), 0));
		BlockingQueue<Received> received = collect(sink);
		RdmaDatagramEndpoint asker = asker(registry);
		BlockingQueue<Received> answers = collect(asker);
		registry.start();
		DatagramPeer peer = get(asker.resolve(localAddress(), sink.port()));
		get(asker.send(peer, ByteBuffer.wrap(random(3))));
		Received first = next(received);
		for (int i = 0; i < 40; i++) {
			get(asker.send(peer, ByteBuffer.wrap(random(4))));
			next(received);
		}
		get(sink.send(first.sender(), ByteBuffer.wrap(random(7))));
		assertThat(next(answers).bytes()).isEqualTo(random(7));
	}

	@Test
	void datagramLargerThanThePathMtuIsRefusedBeforeTheWire() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaDatagramEndpoint echo = echo(registry);
		RdmaDatagramEndpoint asker = asker(registry);
		registry.start();
		DatagramPeer peer = get(asker.resolve(localAddress(), echo.port()));
		int max = asker.maxMessageSize();
		assertThat(max).isIn(256, 512, 1024, 2048, 4096);
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> asker.send(peer, ByteBuffer.allocate(max + 1)))
			.withMessageContaining(String.valueOf(max + 1))
			.withMessageContaining("path MTU")
			.withMessageContaining(String.valueOf(max))
			.withMessageContaining("'asker'");
		assertThat(asker.statistics().messagesSent()).isZero();
	}

	@Test
	void peerOfAnotherEndpointIsRefused() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaDatagramEndpoint echo = echo(registry);
		RdmaDatagramEndpoint asker = asker(registry);
		registry.start();
		DatagramPeer peer = get(asker.resolve(localAddress(), echo.port()));
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> echo.send(peer, ByteBuffer.allocate(1)))
			.withMessageContaining("'asker'")
			.withMessageContaining("'echo'");
	}

	@Test
	void portWithoutAServiceIsRefused() {
		RdmaEndpoints registry = registry();
		RdmaDatagramEndpoint asker = asker(registry);
		registry.start();
		ExecutionException failure = catchThrowableOfType(ExecutionException.class,
				() -> get(asker.resolve(localAddress(), 9)));
		assertThat(failure).cause().isInstanceOfSatisfying(RdmaEndpointException.class, (cause) -> {
			assertThat(cause.errno()).isEqualTo(Errno.ECONNREFUSED.value());
			assertThat(cause.call()).isEqualTo("rdma_connect");
			assertThat(cause).hasMessageContaining("'asker'").hasMessageContaining(localAddress() + ":9");
		});
		assertThat(asker.state()).isEqualTo(EndpointState.UP);
	}

	@Test
	void addressThatIsNotLocalFailsTheStart() {
		RdmaEndpoints registry = registry();
		registry.addDatagrams(TestSettings.datagrams("foreign", foreignAddress(), 0));
		RdmaEndpointException failure = catchThrowableOfType(RdmaEndpointException.class, registry::start);
		assertThat(failure.errno()).isEqualTo(Errno.EADDRNOTAVAIL.value());
		assertThat(failure).hasMessageContaining("'foreign'").hasMessageContaining("rdma_bind_addr");
	}

	@Test
	void portInUseFailsTheStartAndLeavesNothing() {
		RdmaEndpoints first = registry();
		RdmaDatagramEndpoint echo = echo(first);
		first.start();
		String before = nativeObjects();
		RdmaEndpoints second = registry();
		RdmaDatagramEndpoint taken = second.addDatagrams(TestSettings.datagrams("taken", localAddress(), echo.port()));
		RdmaEndpointException failure = catchThrowableOfType(RdmaEndpointException.class, second::start);
		assertThat(failure.errno()).isEqualTo(Errno.EADDRINUSE.value());
		assertThat(failure).hasMessageContaining("'taken'");
		assertThat(taken.state()).isEqualTo(EndpointState.IDLE);
		assertThat(taken.statistics().registeredBytes()).isZero();
		assertThat(nativeObjects()).isEqualTo(before);
	}

	@Test
	void whatIsSentToAGroupReachesItsMembersAndCanBeAnswered() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaDatagramEndpoint member = echo(registry, "239.1.2.3");
		RdmaDatagramEndpoint asker = asker(registry);
		BlockingQueue<Received> answers = collect(asker);
		registry.start();
		DatagramPeer group = get(asker.join(InetAddress.getByName("239.1.2.3")));
		assertThat(group.qpNum()).isEqualTo(MULTICAST_QP);
		assertThat(asker.groups()).containsOnlyKeys(InetAddress.getByName("239.1.2.3"));
		assertThat(member.groups()).containsOnlyKeys(InetAddress.getByName("239.1.2.3"));
		get(asker.send(group, ByteBuffer.wrap(random(100))));
		// One comes from the group itself, which the sender is a member of too.
		List<Integer> senders = new ArrayList<>();
		for (int i = 0; i < 2; i++) {
			Received answer = next(answers);
			assertThat(answer.bytes()).isEqualTo(random(100));
			senders.add(answer.sender().qpNum());
		}
		assertThat(senders).containsExactlyInAnyOrder(member.cmId().qpNum(), asker.cmId().qpNum());
	}

	@Test
	void groupThatWasLeftIsNotReceivedAnyMore() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaDatagramEndpoint member = registry
			.addDatagrams(TestSettings.datagrams("member", localAddress(), 0, "239.1.2.3", "239.1.2.4"));
		BlockingQueue<Received> received = collect(member);
		RdmaDatagramEndpoint asker = asker(registry, "239.1.2.3", "239.1.2.4");
		registry.start();
		InetAddress left = InetAddress.getByName("239.1.2.3");
		assertThat(member.leave(left)).isTrue();
		assertThat(member.leave(left)).isFalse();
		assertThat(member.groups()).containsOnlyKeys(InetAddress.getByName("239.1.2.4"));
		get(asker.send(asker.groups().get(left), ByteBuffer.wrap(new byte[] { 3 })));
		get(asker.send(asker.groups().get(InetAddress.getByName("239.1.2.4")), ByteBuffer.wrap(new byte[] { 4 })));
		assertThat(next(received).bytes()).containsExactly(4);
		get(member.join(left));
		get(asker.send(asker.groups().get(left), ByteBuffer.wrap(new byte[] { 5 })));
		assertThat(next(received).bytes()).containsExactly(5);
	}

	@Test
	void addressThatIsNoGroupIsRefused() {
		RdmaEndpoints registry = registry();
		RdmaDatagramEndpoint asker = asker(registry);
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> asker.join(InetAddress.getByName(localAddress())))
			.withMessageContaining(localAddress());
	}

	@Test
	void handlerThatThrowsLosesItsDatagramAlone() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaDatagramEndpoint picky = registry.addDatagrams(TestSettings.datagrams("picky", localAddress(), 0));
		picky.onDatagram((datagram) -> {
			if (datagram.data().get(0) == 0) {
				throw new IllegalStateException("no zeros");
			}
			datagram.reply(datagram.data());
		});
		RdmaDatagramEndpoint asker = asker(registry);
		BlockingQueue<Received> answers = collect(asker);
		registry.start();
		DatagramPeer peer = get(asker.resolve(localAddress(), picky.port()));
		get(asker.send(peer, ByteBuffer.wrap(new byte[] { 0 })));
		get(asker.send(peer, ByteBuffer.wrap(new byte[] { 5 })));
		assertThat(next(answers).bytes()).containsExactly(5);
		assertThat(picky.state()).isEqualTo(EndpointState.UP);
	}

	@Test
	void datagramsBeyondTheBuffersAreLostAndTheEndpointGoesOn() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaDatagramEndpoint slow = registry.addDatagrams(TestSettings.datagrams("slow", localAddress(), 0));
		RdmaDatagramEndpoint asker = asker(registry);
		registry.start();
		DatagramPeer peer = get(asker.resolve(localAddress(), slow.port()));
		for (int i = 0; i < 40; i++) {
			get(asker.send(peer, ByteBuffer.allocate(4).putInt(i).flip()));
		}
		await().atMost(PATIENCE).until(() -> slow.statistics().messagesReceived() == 16);
		BlockingQueue<Received> received = collect(slow);
		for (int i = 0; i < 16; i++) {
			assertThat(ByteBuffer.wrap(next(received).bytes()).getInt()).as("datagram %d", i).isEqualTo(i);
		}
		get(asker.send(peer, ByteBuffer.allocate(4).putInt(77).flip()));
		assertThat(ByteBuffer.wrap(next(received).bytes()).getInt()).isEqualTo(77);
		assertThat(asker.statistics().messagesSent()).isEqualTo(41);
	}

	@Test
	void destroyFreesEverythingAndReportsEachStep() throws Exception {
		String before = nativeObjects();
		RdmaEndpoints registry = registry();
		RdmaDatagramEndpoint echo = echo(registry, "239.1.2.3");
		RdmaDatagramEndpoint asker = asker(registry, "239.1.2.4", "239.1.2.5");
		BlockingQueue<Received> answers = collect(asker);
		registry.start();
		DatagramPeer peer = get(asker.resolve(localAddress(), echo.port()));
		get(asker.send(peer, ByteBuffer.wrap(random(8))));
		next(answers);
		List<DestroyReport> reports = registry.destroyAll(DestroyTrigger.SHUTDOWN);
		assertThat(reports).hasSize(2).allSatisfy((report) -> {
			assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
			assertThat(report.connections()).isZero();
			assertThat(report.durations()).containsOnlyKeys(DestroyStepName.QUIESCE, DestroyStepName.DESTROY_LISTENER,
					DestroyStepName.LEAVE_MULTICAST, DestroyStepName.AWAIT_DISCONNECTED, DestroyStepName.FLUSH,
					DestroyStepName.DRAIN, DestroyStepName.DESTROY_QP, DestroyStepName.DESTROY_AH,
					DestroyStepName.DEREG_MR, DestroyStepName.DESTROY_CQ, DestroyStepName.RELEASE_DEVICE,
					DestroyStepName.DESTROY_ID);
		});
		assertThat(asker.state()).isEqualTo(EndpointState.IDLE);
		assertThat(asker.cmId().state()).isEqualTo(CmIdState.NONE);
		assertThat(asker.statistics().registeredBytes()).isZero();
		assertThat(asker.addressHandles()).isZero();
		assertThat(asker.groups()).isEmpty();
		assertThat(registry.unacknowledgedEvents()).isZero();
		assertThat(nativeObjects()).isEqualTo(before);
		assertThatExceptionOfType(ConnectionClosedException.class)
			.isThrownBy(() -> asker.send(peer, ByteBuffer.wrap(new byte[1])));
	}

	@Test
	void endpointThatWasDestroyedCanBeStartedAgain() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaDatagramEndpoint echo = echo(registry, "239.1.2.3");
		RdmaDatagramEndpoint asker = asker(registry);
		BlockingQueue<Received> answers = collect(asker);
		registry.start();
		DatagramPeer old = get(asker.resolve(localAddress(), echo.port()));
		get(asker.send(old, ByteBuffer.wrap(random(2))));
		next(answers);
		DestroyReport report = asker.destroy();
		assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
		assertThat(report.trigger()).isEqualTo(DestroyTrigger.MANUAL);
		asker.start();
		assertThat(asker.state()).isEqualTo(EndpointState.UP);
		assertThat(asker.cmId().generation()).isEqualTo(2);
		get(asker.send(old, ByteBuffer.wrap(random(6))));
		assertThat(next(answers).bytes()).as("answer to the peer that was resolved before").isEqualTo(random(6));
	}

	@Test
	void destroyFromInsideAHandlerDoesNotHang() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaDatagramEndpoint suicidal = registry.addDatagrams(TestSettings.datagrams("suicidal", localAddress(), 0));
		CompletableFuture<DestroyReport> destroyed = new CompletableFuture<>();
		suicidal.onDatagram((datagram) -> destroyed.complete(suicidal.destroy()));
		RdmaDatagramEndpoint asker = asker(registry);
		registry.start();
		DatagramPeer peer = get(asker.resolve(localAddress(), suicidal.port()));
		get(asker.send(peer, ByteBuffer.wrap(new byte[1])));
		DestroyReport report = get(destroyed);
		assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
	}

	@Test
	void manyStartsAndStopsLeaveNoObjects() throws Exception {
		String before = nativeObjects();
		for (int i = 0; i < rounds(); i++) {
			RdmaEndpoints registry = registry();
			RdmaDatagramEndpoint echo = echo(registry, "239.1.2.3");
			RdmaDatagramEndpoint asker = asker(registry);
			BlockingQueue<Received> answers = collect(asker);
			registry.start();
			DatagramPeer peer = get(asker.resolve(localAddress(), echo.port()));
			get(asker.send(peer, ByteBuffer.wrap(random(i))));
			assertThat(next(answers).bytes()).isEqualTo(random(i));
			assertThat(registry.destroyAll(DestroyTrigger.RESTART)).allSatisfy(
					(report) -> assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS));
		}
		assertThat(nativeObjects()).isEqualTo(before);
	}

	int rounds() {
		return 30;
	}

	/**
	 * What a handler got.
	 */
	record Received(DatagramPeer sender, byte[] bytes, boolean hasImmediate, int immediate) {

		static Received of(ReceivedDatagram datagram) {
			byte[] bytes = new byte[datagram.data().remaining()];
			datagram.data().duplicate().get(bytes);
			return new Received(datagram.sender(), bytes, datagram.hasImmediate(), datagram.immediate());
		}

	}

}
