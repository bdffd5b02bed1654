package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import io.github.rdmaboot.verbs.CompletionMode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of messages in fragments that find too few buffers, or another one under
 * way.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FullFragmentsTests {

	private static final int BUFFERS = 4;

	private static final MemorySettings MEMORY = new MemorySettings(1024, BUFFERS,
			new MessageSettings(OversizedMessages.FRAGMENT, 100_000));

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final LoopbackFabric fabric = LoopbackFabrics.with("192.0.2.1");

	private final RdmaEndpoints registry = CheckedEndpoints.create(() -> new LoopbackRdmaProvider(this.fabric),
			ShutdownSettings.defaults(), null);

	private RdmaServer server;

	@AfterEach
	void close() {
		this.registry.close();
	}

	private RdmaConnection connect(WhenFull whenFull, Duration timeout, CompletionSettings ofServer,
			@Nullable RdmaMessageHandler handler) throws Exception {
		QueuePairSettings queuePair = new QueuePairSettings(8, 8, 1, 1, 0, whenFull, timeout, 2);
		this.server = this.registry.addServer(
				new ServerSettings("server", "192.0.2.1", 0, 0, queuePair, TestSettings.CONNECTION, MEMORY, ofServer));
		if (handler != null) {
			this.server.onMessage(handler);
		}
		this.registry.start();
		RdmaClient client = this.registry.addClient(new ClientSettings("client", "192.0.2.1", this.server.port(), null,
				PATIENCE, PATIENCE, ClientStartup.BACKGROUND, TestSettings.NO_RECONNECT, queuePair,
				TestSettings.CONNECTION, MEMORY, CompletionSettings.defaults()));
		client.start();
		RdmaConnection connection = get(client.connect());
		await().until(() -> !this.server.connections().isEmpty());
		return connection;
	}

	private RdmaConnection connect(WhenFull whenFull, Duration timeout) throws Exception {
		return connect(whenFull, timeout, CompletionSettings.defaults(), null);
	}

	private RdmaConnection peer() {
		return this.server.connections().iterator().next();
	}

	private static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "WAIT")
	void messageThatDoesNotFitIntoWhatIsFreeIsRefusedAsAWhole(WhenFull whenFull) throws Exception {
		RdmaConnection connection = connect(whenFull, PATIENCE);
		ByteBuffer message = ByteBuffer.allocate(10_000);
		for (int i = 0; i < 20; i++) {
			assertThatExceptionOfType(SendQueueFullException.class).isThrownBy(() -> connection.send(message))
				.withMessageContaining("No send buffer")
				.satisfies((ex) -> assertThat(ex.errno()).isEqualTo(Errno.ENOMEM.value()));
		}
		assertThat(message.remaining()).as("bytes of the message that are left").isEqualTo(10_000);
		assertThat(connection.isOpen()).as("connection stays open").isTrue();

		CompletableFuture<byte[]> received = peer().receive();
		get(connection.send(ByteBuffer.allocate(BUFFERS * 1024)));
		assertThat(get(received)).as("message that fits exactly").hasSize(BUFFERS * 1024);
	}

	@Test
	void messageThatFindsTooFewPlacesInTheSendQueueLeavesItsBuffers() throws Exception {
		RdmaConnection connection = connect(WhenFull.FAIL, PATIENCE);
		// The peer does not read, so four messages take its receives.
		for (int i = 0; i < BUFFERS; i++) {
			get(connection.send(ByteBuffer.allocate(1)));
		}
		PooledBuffer buffer = connection.memory().allocate(8);
		List<OperationFuture> sends = new ArrayList<>();
		RemoteMemory remote = peer().memory().allocate(8, RemoteAccess.WRITE).remote();
		sends.add(connection.operations().send(buffer, 0, 1, new OperationFuture()));
		for (int i = 0; i < 5; i++) {
			sends.add(connection.operations().write(buffer, 0, remote, 0, 1, new OperationFuture()));
		}
		for (int i = 0; i < 20; i++) {
			assertThatExceptionOfType(SendQueueFullException.class)
				.isThrownBy(() -> connection.send(ByteBuffer.allocate(3000)))
				.withMessageContaining("No place in the send queue");
		}
		assertThat(connection.isOpen()).as("connection stays open").isTrue();
	}

	@Test
	void completionThreadIsRefusedAMessageForWhichItWouldHaveToWait() throws Exception {
		CompletableFuture<Throwable> refused = new CompletableFuture<>();
		RdmaConnection connection = connect(WhenFull.WAIT, PATIENCE,
				CompletionSettings.of(CompletionMode.EVENT, HandlerThread.COMPLETION_THREAD), (from, message) -> {
					try {
						from.send(ByteBuffer.allocate(10_000), (error) -> {
						});
						refused.complete(new AssertionError("The message was sent"));
					}
					catch (RdmaException ex) {
						refused.complete(ex);
						from.send(ByteBuffer.allocate(3000), (error) -> {
						});
					}
				});
		CompletableFuture<byte[]> answer = connection.receive();

		get(connection.send(ByteBuffer.allocate(1)));

		assertThat(get(refused)).isInstanceOf(SendQueueFullException.class)
			.hasMessageContaining("the completion thread cannot wait for one");
		assertThat(get(answer)).as("message that fits").hasSize(3000);
	}

	@Test
	void theEndOfOneMessageIsNotTakenForThatOfTheNext() throws Exception {
		MemorySettings ofClient = new MemorySettings(1024, 4 * BUFFERS, MEMORY.messages());
		try (ConnectedPair pair = ConnectedPair.connect(() -> new LoopbackRdmaProvider(this.fabric), "192.0.2.1",
				ConnectedPair.QUEUE_PAIR, ConnectedPair.CONNECTION, MEMORY, ofClient, CompletionSettings.defaults())) {
			// The peer does not read, so the last fragment of the first one waits.
			get(pair.client().send(ByteBuffer.allocate(1)));
			get(pair.client().send(ByteBuffer.allocate(1)));
			CompletableFuture<Void> first = pair.client().send(ByteBuffer.allocate(3000));
			CompletableFuture<Void> second = pair.client().send(ByteBuffer.allocate(2500));
			assertThat(first).as("message of which two fragments find a receive").isNotDone();

			get(pair.server().receive());
			get(first);
			pair.server().close();

			assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> get(second))
				.withStackTraceContaining("the peer ended the connection while a message of 2500 bytes in fragments");
		}
	}

	@Test
	void waitForTheEndOfAnotherMessageCanBeInterrupted() throws Exception {
		RdmaConnection connection = connect(WhenFull.WAIT, PATIENCE.multipliedBy(10));
		// The peer does not read, so this one waits for buffers.
		Thread first = sendApart(connection, new CompletableFuture<>());
		await().until(() -> first.getState() == Thread.State.TIMED_WAITING);
		CompletableFuture<Throwable> outcome = new CompletableFuture<>();
		Thread second = sendApart(connection, outcome);
		await().until(() -> second.getState() != Thread.State.RUNNABLE);

		second.interrupt();

		assertThat(get(outcome)).isInstanceOfSatisfying(RdmaException.class,
				(ex) -> assertThat(ex.errno()).as(ex.getMessage()).isEqualTo(Errno.EINTR.value()));
		assertThat(connection.isOpen()).as("connection stays open").isTrue();
	}

	private static Thread sendApart(RdmaConnection connection, CompletableFuture<Throwable> outcome) {
		Thread thread = new Thread(() -> {
			try {
				connection.send(ByteBuffer.allocate(20_000));
			}
			catch (RuntimeException ex) {
				outcome.complete(ex);
			}
		}, "sender");
		thread.start();
		return thread;
	}

	@ParameterizedTest
	@EnumSource
	void waitForTheEndOfAnotherMessageEndsWithTheTime(WhenFull whenFull) throws Exception {
		QueuePairSettings settings = new QueuePairSettings(8, 8, 1, 1, 0, whenFull, Duration.ofMillis(100), 2);
		Reservations reservations = new Reservations(connect(whenFull, PATIENCE), settings);
		ReentrantLock order = new ReentrantLock();
		CountDownLatch held = new CountDownLatch(1);
		CountDownLatch over = new CountDownLatch(1);
		Thread holder = new Thread(() -> {
			order.lock();
			held.countDown();
			awaitQuietly(over);
			order.unlock();
		}, "holder");
		holder.start();
		awaitQuietly(held);

		assertThatExceptionOfType(SendQueueFullException.class)
			.isThrownBy(() -> reservations.lock(order, "turn among the messages", "memory.buffer-count"))
			.withMessageContaining("No turn among the messages of RDMA connection client#1")
			.withMessageContaining("became free within 100ms")
			.satisfies((ex) -> assertThat(ex.errno()).isEqualTo(Errno.ETIMEDOUT.value()));
		over.countDown();
		holder.join();
		reservations.lock(order, "turn among the messages", "memory.buffer-count");
		assertThat(order.isHeldByCurrentThread()).as("turn after the other message").isTrue();
	}

	@Test
	void completionThreadThatCannotWaitForTheEndOfAnotherMessageIsToldToSendElsewhere() throws Exception {
		ReentrantLock order = new ReentrantLock();
		order.lock();
		QueuePairSettings settings = new QueuePairSettings(8, 8, 1, 1, 0, WhenFull.WAIT, PATIENCE, 2);
		CompletableFuture<RuntimeException> refusal = new CompletableFuture<>();
		RdmaConnection connection = connect(WhenFull.WAIT, PATIENCE,
				CompletionSettings.of(CompletionMode.EVENT, HandlerThread.COMPLETION_THREAD), (receiving, message) -> {
					try {
						new Reservations(receiving, settings).lock(order, "turn among the messages",
								"memory.buffer-count");
					}
					catch (RuntimeException ex) {
						refusal.complete(ex);
					}
				});

		connection.send(ByteBuffer.allocate(1));

		assertThat(get(refusal)).isInstanceOfSatisfying(SendQueueFullException.class, (ex) -> {
			assertThat(ex.errno()).isEqualTo(Errno.ENOMEM.value());
			assertThat(ex).hasMessageContaining("another thread is sending one")
				.hasMessageContaining("completion.handlers: executor")
				.hasMessageNotContaining("buffer-count");
		});
	}

	private static void awaitQuietly(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
