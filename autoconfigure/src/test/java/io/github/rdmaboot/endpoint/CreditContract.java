package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.rdmaboot.provider.CompletionStatus;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.verbs.CompletionMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Connections whose sides grant each other credits, on any provider.
 */
@Timeout(value = 200, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class CreditContract extends MessageHeaderContract {

	// To a server that has fewer receives than the client.
	private ConnectedPair connectToSmaller(WhenFull whenFull, Duration timeout) throws Exception {
		return connect(new MemorySettings(1024, RECEIVES, CREDITS), new MemorySettings(1024, 16, CREDITS), whenFull,
				timeout, CompletionSettings.defaults());
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
		expectOverrun(pair, sends.get(RECEIVES));
	}

	// Check the failure of a message that found no receive.
	void expectOverrun(ConnectedPair pair, CompletableFuture<Void> send) {
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

}
