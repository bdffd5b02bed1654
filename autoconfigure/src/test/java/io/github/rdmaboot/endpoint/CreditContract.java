package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.rdmaboot.provider.CompletionStatus;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.verbs.CompletionMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Connections whose sides grant each other credits, on any provider. No device repeats a
 * message that finds no receive.
 */
@Timeout(value = 200, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class CreditContract {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final ConnectionSettings NO_RETRY = new ConnectionSettings(4, 4, 6, 0, new byte[0], null, null);

	private static final int RECEIVES = 4;

	private static final MessageSettings CREDITS = new MessageSettings(OversizedMessages.REJECT, 100_000,
			FlowControl.CREDITS);

	private static final MessageSettings FRAGMENTS = new MessageSettings(OversizedMessages.FRAGMENT, 100_000,
			FlowControl.CREDITS);

	private static final MessageSettings NONE = MessageSettings.defaults();

	private final List<ConnectedPair> pairs = new ArrayList<>();

	private final Semaphore read = new Semaphore(0);

	private final AtomicInteger received = new AtomicInteger();

	/**
	 * Return a provider; each registry asks for one.
	 * @return the provider
	 */
	abstract RdmaProvider openProvider();

	@AfterEach
	void close() {
		this.read.release(1_000_000);
		this.pairs.forEach(ConnectedPair::close);
	}

	private ConnectedPair connect(MessageSettings ofServer, MessageSettings ofClient, WhenFull whenFull,
			Duration timeout, CompletionSettings completion) throws Exception {
		return connect(ofServer, ofClient, whenFull, timeout, completion, RECEIVES);
	}

	private ConnectedPair connect(MessageSettings ofServer, MessageSettings ofClient, WhenFull whenFull,
			Duration timeout, CompletionSettings completion, int receives) throws Exception {
		return connect(new MemorySettings(1024, receives, ofServer), new MemorySettings(1024, receives, ofClient),
				whenFull, timeout, completion);
	}

	// To a server that has fewer receives than the client.
	private ConnectedPair connectToSmaller(WhenFull whenFull, Duration timeout) throws Exception {
		return connect(new MemorySettings(1024, RECEIVES, CREDITS), new MemorySettings(1024, 16, CREDITS), whenFull,
				timeout, CompletionSettings.defaults());
	}

	private ConnectedPair connect(MemorySettings ofServer, MemorySettings ofClient, WhenFull whenFull, Duration timeout,
			CompletionSettings completion) throws Exception {
		QueuePairSettings queuePair = new QueuePairSettings(16, 16, 4, 1, 64, whenFull, timeout, 64);
		ConnectedPair pair = ConnectedPair.connect(this::openProvider, "192.0.2.1", queuePair, NO_RETRY, ofServer,
				ofClient, completion);
		this.pairs.add(pair);
		return pair;
	}

	private ConnectedPair connect(MessageSettings messages, WhenFull whenFull) throws Exception {
		return connect(messages, messages, whenFull, PATIENCE, CompletionSettings.defaults());
	}

	private static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
	}

	// Have the server read a message only when it is told to.
	private void readSlowly(ConnectedPair pair) {
		pair.onMessageOfServer((connection, message) -> {
			this.read.acquireUninterruptibly();
			assertThat(message.get()).as("order of the messages").isEqualTo((byte) this.received.get());
			this.received.incrementAndGet();
		});
	}

	private static ByteBuffer message(int number) {
		return ByteBuffer.wrap(new byte[] { (byte) number });
	}

	@Test
	void slowHandlerLosesNoConnection() throws Exception {
		ConnectedPair pair = connect(CREDITS, WhenFull.WAIT);
		readSlowly(pair);
		Thread sender = new Thread(() -> {
			for (int i = 0; i < 100; i++) {
				pair.client().send(message(i));
			}
		}, "sender");
		sender.start();
		await().atMost(PATIENCE).until(() -> sender.getState() == Thread.State.TIMED_WAITING);
		for (int i = 1; i <= 100; i++) {
			this.read.release();
			int count = i;
			await().atMost(PATIENCE).pollInterval(Duration.ofMillis(1)).until(() -> this.received.get() == count);
		}
		sender.join();
		assertThat(pair.client().isOpen()).isTrue();
		assertThat(pair.server().isOpen()).isTrue();
	}

	@Test
	void slowHandlerLosesItsConnectionWithoutCredits() throws Exception {
		ConnectedPair pair = connect(NONE, WhenFull.WAIT);
		readSlowly(pair);
		List<CompletableFuture<Void>> sends = new ArrayList<>();
		for (int i = 0; i < RECEIVES + 1; i++) {
			sends.add(pair.client().send(message(i)));
		}
		expectOverrun(sends.get(RECEIVES));
	}

	// Check the failure of a message that found no receive.
	void expectOverrun(CompletableFuture<Void> send) {
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(send))
			.withStackTraceContaining(CompletionStatus.RNR_RETRY_EXC_ERR.name());
	}

	@ParameterizedTest
	@EnumSource(HandlerThread.class)
	void bothSidesSendAsFastAsTheyCan(HandlerThread handlers) throws Exception {
		ConnectedPair pair = connect(CREDITS, CREDITS, WhenFull.WAIT, PATIENCE,
				CompletionSettings.of(CompletionMode.EVENT, handlers));
		AtomicInteger ofClient = new AtomicInteger();
		AtomicInteger ofServer = new AtomicInteger();
		pair.onMessageOfServer((connection, message) -> ofServer.incrementAndGet());
		pair.onMessageOfClient((connection, message) -> ofClient.incrementAndGet());
		int count = 2000;
		List<Thread> senders = List.of(sender(pair.client(), count), sender(pair.client(), count),
				sender(pair.server(), count));
		for (Thread sender : senders) {
			sender.join();
		}
		await().atMost(PATIENCE).until(() -> ofServer.get() == 2 * count && ofClient.get() == count);
		assertThat(pair.client().isOpen()).isTrue();
	}

	private static Thread sender(RdmaConnection connection, int count) {
		Thread thread = new Thread(() -> {
			for (int i = 0; i < count; i++) {
				connection.send(ByteBuffer.allocate(8), (error) -> {
				});
			}
		}, "sender of " + connection);
		thread.start();
		return thread;
	}

	@Test
	void messagesInFragmentsCarryCreditsToo() throws Exception {
		ConnectedPair pair = connect(FRAGMENTS, WhenFull.WAIT);
		pair.onMessageOfServer((connection, message) -> connection.send(message));
		for (int size : new int[] { 0, 1, 1024, 1025, 10_000, 100_000 }) {
			byte[] message = new byte[size];
			new Random(size).nextBytes(message);
			CompletableFuture<byte[]> answer = pair.client().receive();
			get(pair.client().send(ByteBuffer.wrap(message)));
			assertThat(get(answer)).as("message of %d bytes", size).isEqualTo(message);
		}
	}

	@Test
	void senderWithoutCreditsFails() throws Exception {
		ConnectedPair pair = connect(CREDITS, WhenFull.FAIL);
		readSlowly(pair);
		for (int i = 0; i < RECEIVES - 1; i++) {
			get(pair.client().send(message(i)));
		}
		assertThatExceptionOfType(SendQueueFullException.class).isThrownBy(() -> pair.client().send(message(9)))
			.withMessageContaining("No credit of RDMA connection client#1")
			.withMessageContaining("queue-pair.when-full is fail")
			.withMessageContaining("memory.buffer-count of the peer, whose messages.flow-control has to be credits");
		this.read.release(RECEIVES - 1);
		await().atMost(PATIENCE).untilAsserted(() -> get(pair.client().send(message(RECEIVES - 1))));
		assertThat(pair.client().isOpen()).isTrue();
	}

	@Test
	void senderWithoutCreditsWaitsAsLongAsConfigured() throws Exception {
		ConnectedPair pair = connect(CREDITS, CREDITS, WhenFull.WAIT, Duration.ofMillis(200),
				CompletionSettings.defaults());
		readSlowly(pair);
		for (int i = 0; i < RECEIVES - 1; i++) {
			get(pair.client().send(message(i)));
		}
		assertThatExceptionOfType(SendQueueFullException.class).isThrownBy(() -> pair.client().send(message(9)))
			.withMessageContaining("No credit")
			.withMessageContaining("became free within 200ms")
			.satisfies((ex) -> assertThat(ex.errno()).isEqualTo(Errno.ETIMEDOUT.value()));
	}

	@Test
	void senderWithoutCreditsParks() throws Exception {
		ConnectedPair pair = connect(CREDITS, WhenFull.PARK);
		readSlowly(pair);
		List<CompletableFuture<Void>> sends = new ArrayList<>();
		for (int i = 0; i < 30; i++) {
			sends.add(pair.client().send(message(i)));
		}
		get(sends.get(RECEIVES - 2));
		assertThat(sends.get(RECEIVES - 1)).isNotDone();
		this.read.release(30);
		for (CompletableFuture<Void> send : sends) {
			get(send);
		}
		await().atMost(PATIENCE).until(() -> this.received.get() == 30);
	}

	@Test
	void waitForCreditsEndsWithTheConnection() throws Exception {
		ConnectedPair pair = connect(CREDITS, WhenFull.WAIT);
		readSlowly(pair);
		CompletableFuture<Throwable> outcome = new CompletableFuture<>();
		Thread sender = new Thread(() -> {
			try {
				for (int i = 0; i < 10; i++) {
					pair.client().send(message(i));
				}
			}
			catch (RuntimeException ex) {
				outcome.complete(ex);
			}
		}, "sender");
		sender.start();
		await().atMost(PATIENCE).until(() -> sender.getState() == Thread.State.TIMED_WAITING);
		pair.client().close();
		assertThat(get(outcome)).isInstanceOf(ConnectionClosedException.class);
	}

	@Test
	void operationsTakeCreditsToo() throws Exception {
		ConnectedPair pair = connect(CREDITS, WhenFull.WAIT);
		pair.onMessageOfServer((connection, message) -> this.received.incrementAndGet());
		RegisteredMemory local = pair.client().memory().allocate(64, RemoteAccess.READ);
		RemoteMemory remote = pair.server().memory().allocate(64, RemoteAccess.WRITE).remote();
		RdmaOperations operations = pair.client().operations();
		WorkBatch batch = operations.batch(3).send(local, 0, 8).write(local, 0, remote, 0, 8).send(local, 0, 8);
		for (int i = 0; i < 50; i++) {
			get(operations.send(local, 0, 8, new OperationFuture()));
			get(operations.sendInline(ByteBuffer.allocate(8), new OperationFuture()));
			get(operations.writeWithImmediate(local, 0, remote, 0, 8, i, new OperationFuture()));
			get(batch.post(new OperationFuture()));
		}
		await().atMost(PATIENCE).until(() -> this.received.get() == 50 * 5);
		assertThat(pair.client().isOpen()).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void batchThatGetsNoCreditsLeavesItsPlaces(WhenFull whenFull) throws Exception {
		ConnectedPair pair = connectToSmaller(whenFull, Duration.ofMillis(20));
		RegisteredMemory local = pair.client().memory().allocate(64, RemoteAccess.READ);
		RemoteMemory remote = pair.server().memory().allocate(64, RemoteAccess.WRITE).remote();
		WorkBatch batch = pair.client().operations().batch(RECEIVES);
		for (int i = 0; i < RECEIVES; i++) {
			batch.send(local, 0, 8);
		}
		for (int i = 0; i < 20; i++) {
			assertThatExceptionOfType(SendQueueFullException.class).isThrownBy(() -> postAndWait(batch))
				.withMessageContaining("No credit");
		}
		WorkBatch writes = pair.client().operations().batch(16);
		for (int i = 0; i < 16; i++) {
			writes.write(local, 0, remote, 0, 8);
		}
		get(writes.post(new OperationFuture()));
		CompletableFuture<byte[]> message = pair.server().receive();
		get(pair.client().operations().send(local, 0, 8, new OperationFuture()));
		assertThat(get(message)).hasSize(8);
	}

	@ParameterizedTest
	@EnumSource(WhenFull.class)
	void firstBatchMayHaveHalfAsManyMessagesAsThePeerHasBuffers(WhenFull whenFull) throws Exception {
		ConnectedPair pair = connect(CREDITS, CREDITS, whenFull, Duration.ofSeconds(20), CompletionSettings.defaults(),
				16);
		pair.onMessageOfServer((connection, message) -> this.received.incrementAndGet());
		WorkBatch batch = batchOfMessages(pair, 8);
		await().atMost(PATIENCE)
			.ignoreExceptionsMatching((ex) -> whenFull == WhenFull.FAIL && ex instanceof SendQueueFullException)
			.untilAsserted(() -> get(batch.post(new OperationFuture())));
		await().atMost(PATIENCE).until(() -> this.received.get() == 8);
	}

	private static WorkBatch batchOfMessages(ConnectedPair pair, int count) {
		RegisteredMemory local = pair.client().memory().allocate(64, RemoteAccess.READ);
		WorkBatch batch = pair.client().operations().batch(count);
		for (int i = 0; i < count; i++) {
			batch.send(local, 0, 8);
		}
		return batch;
	}

	@Test
	void batchThatWouldBeParkedForEverIsRefused() throws Exception {
		ConnectedPair pair = connect(CREDITS, WhenFull.PARK);
		pair.onMessageOfServer((connection, message) -> this.received.incrementAndGet());
		WorkBatch batch = batchOfMessages(pair, RECEIVES / 2 + 1);
		for (int i = 0; i < 100; i++) {
			assertThatExceptionOfType(SendQueueFullException.class).isThrownBy(() -> batch.post(new OperationFuture()))
				.withMessageContaining("A batch of 3 messages of RDMA connection client#1")
				.withMessageContaining("at most 2, half of memory.buffer-count");
		}
		get(batchOfMessages(pair, RECEIVES / 2).post(new OperationFuture()));
		get(pair.client().send(message(0)));
		await().atMost(PATIENCE).until(() -> this.received.get() == RECEIVES / 2 + 1);
	}

	@ParameterizedTest
	@ValueSource(ints = { 4, 5, 16 })
	void handlerThatAnswersIsNotHeldUpByThoseWhoSend(int receives) throws Exception {
		ConnectedPair pair = connect(FRAGMENTS, FRAGMENTS, WhenFull.WAIT, PATIENCE, CompletionSettings.defaults(),
				receives);
		pair.onMessageOfServer((connection, message) -> connection.send(message, (error) -> {
		}));
		pair.onMessageOfClient((connection, message) -> this.received.incrementAndGet());
		List<Thread> senders = new ArrayList<>();
		for (int i = 0; i < 16; i++) {
			senders.add(sender(pair.client(), 50));
		}
		for (Thread sender : senders) {
			sender.join();
		}
		await().atMost(PATIENCE).until(() -> this.received.get() == 16 * 50);
		assertThat(pair.client().isOpen()).isTrue();
	}

	// Post a batch, and throw what becomes of it wherever that is told.
	private static void postAndWait(WorkBatch batch) throws Exception {
		try {
			get(batch.post(new OperationFuture()));
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof RuntimeException cause) ? cause : ex;
		}
	}

	@Test
	void whatIsParkedBehindABatchThatTakesMoreCreditsThanThereEverAreGoesOn() throws Exception {
		ConnectedPair pair = connectToSmaller(WhenFull.PARK, Duration.ofMillis(300));
		pair.onMessageOfServer((connection, message) -> this.received.incrementAndGet());
		RegisteredMemory local = pair.client().memory().allocate(64, RemoteAccess.READ);
		RemoteMemory remote = pair.server().memory().allocate(64, RemoteAccess.WRITE).remote();
		List<RuntimeException> signals = new CopyOnWriteArrayList<>();
		List<RuntimeException> ends = new CopyOnWriteArrayList<>();
		WorkBatch batch = pair.client().operations().batch(RECEIVES);
		batch.send(local, 0, 8).signal((result, error) -> signals.add(Objects.requireNonNull(error)));
		for (int i = 1; i < RECEIVES; i++) {
			batch.send(local, 0, 8);
		}
		batch.post((result, error) -> ends.add(Objects.requireNonNull(error)));
		List<CompletableFuture<?>> behind = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			behind.add(pair.client().send(message(i)));
			behind.add(pair.client().operations().write(local, 0, remote, 0, 8, new OperationFuture()));
		}
		assertThat(behind).noneMatch(CompletableFuture::isDone);
		for (CompletableFuture<?> operation : behind) {
			get(operation);
		}
		await().atMost(PATIENCE).until(() -> this.received.get() == 20);
		await().atMost(PATIENCE).until(() -> !signals.isEmpty() && !ends.isEmpty());
		pair.close();
		assertThat(signals).hasSize(1).isEqualTo(ends);
		assertThat(ends.get(0)).isInstanceOf(SendQueueFullException.class)
			.hasMessageContaining("No credit of RDMA connection client#1")
			.hasMessageContaining("within 300ms (ETIMEDOUT)")
			.hasMessageContaining("memory.buffer-count of the peer")
			.hasMessageContaining("It takes 4 at once and must leave one");
	}

	@Test
	void whatIsParkedForAPeerThatReadsNothingFailsInTimeAndOnce() throws Exception {
		ConnectedPair pair = connect(CREDITS, CREDITS, WhenFull.PARK, Duration.ofMillis(300),
				CompletionSettings.defaults());
		readSlowly(pair);
		AtomicInteger failed = new AtomicInteger();
		AtomicInteger sent = new AtomicInteger();
		for (int i = 0; i < 20; i++) {
			pair.client().send(message(i), (error) -> ((error != null) ? failed : sent).incrementAndGet());
		}
		await().atMost(PATIENCE).until(() -> failed.get() == 20 - (RECEIVES - 1));
		assertThat(sent).hasValue(RECEIVES - 1);
		this.read.release(RECEIVES - 1);
		await().atMost(PATIENCE).untilAsserted(() -> get(pair.client().send(message(RECEIVES - 1))));
		assertThat(failed.get() + sent.get()).isEqualTo(20);
	}

	@Test
	void aParkedPartOfAMessageThatGetsNoCreditEndsTheConnectionAndNothingOfTheMessageArrives() throws Exception {
		ConnectedPair pair = connect(FRAGMENTS, FRAGMENTS, WhenFull.PARK, Duration.ofMillis(300),
				CompletionSettings.defaults());
		readSlowly(pair);
		for (int i = 0; i < RECEIVES - 1; i++) {
			get(pair.client().send(message(i)));
		}
		CompletableFuture<Void> inParts = pair.client().send(ByteBuffer.allocate(3000));
		CompletableFuture<Void> behind = pair.client().send(message(9));
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(inParts))
			.withStackTraceContaining("No credit");
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(behind))
			.withStackTraceContaining("No credit");
		this.read.release(RECEIVES);
		await().atMost(PATIENCE).until(() -> !pair.client().isOpen() && !pair.server().isOpen());
		assertThat(this.received.get()).isLessThan(RECEIVES);
	}

	@Test
	void immediateDataOfWritesIsTheApplicationsButThatOfMessagesIsNot() throws Exception {
		ConnectedPair pair = connect(CREDITS, WhenFull.WAIT);
		RegisteredMemory local = pair.client().memory().allocate(64, RemoteAccess.READ);
		RemoteMemory remote = pair.server().memory().allocate(64, RemoteAccess.WRITE).remote();
		RdmaOperations operations = pair.client().operations();
		assertThatExceptionOfType(RdmaException.class)
			.isThrownBy(() -> operations.sendWithImmediate(local, 0, 8, 7, new OperationFuture()))
			.withMessageContaining("messages.flow-control=credits")
			.satisfies((ex) -> assertThat(ex.errno()).isEqualTo(Errno.EOPNOTSUPP.value()));
		assertThatExceptionOfType(RdmaException.class)
			.isThrownBy(() -> operations.batch(1).sendWithImmediate(local, 0, 8, 7))
			.withMessageContaining("messages.flow-control=credits");
		CompletableFuture<RdmaMessage> written = pair.server().receiveMessage();
		get(operations.writeWithImmediate(local, 0, remote, 0, 8, -7, new OperationFuture()));
		assertThat(get(written).immediateData()).isEqualTo(-7);
		CompletableFuture<RdmaMessage> sent = pair.server().receiveMessage();
		get(operations.send(local, 0, 8, new OperationFuture()));
		assertThat(get(sent).immediateData()).isNull();
	}

	@Test
	void peerWithoutCreditsEndsTheConnectionWithTheProperty() throws Exception {
		ConnectedPair pair = connect(CREDITS, NONE, WhenFull.WAIT, PATIENCE, CompletionSettings.defaults());
		CompletableFuture<byte[]> waiting = pair.server().receive();
		pair.client().send(message(1), (error) -> {
		});
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(waiting))
			.withStackTraceContaining("set messages.flow-control of both sides alike");
	}

	@Test
	void peerInFragmentsWithoutCreditsEndsTheConnectionWithTheProperty() throws Exception {
		ConnectedPair pair = connect(new MessageSettings(OversizedMessages.FRAGMENT, 100_000), FRAGMENTS, WhenFull.WAIT,
				PATIENCE, CompletionSettings.defaults());
		CompletableFuture<byte[]> waiting = pair.server().receive();
		pair.client().send(message(1), (error) -> {
		});
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(waiting))
			.withStackTraceContaining("set messages.flow-control of both sides alike");
	}

	@Test
	void peerWithCreditsThatSendsFragmentsEndsTheConnectionWithTheProperty() throws Exception {
		ConnectedPair pair = connect(CREDITS, FRAGMENTS, WhenFull.WAIT, PATIENCE, CompletionSettings.defaults());
		CompletableFuture<byte[]> waiting = pair.server().receive();
		CompletableFuture.runAsync(() -> pair.client().send(ByteBuffer.allocate(3000)));
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(waiting))
			.withStackTraceContaining("set messages.oversized of both sides alike");
	}

}
