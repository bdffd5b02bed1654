package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.rdmaboot.provider.CompletionOpcode;
import io.github.rdmaboot.provider.CompletionStatus;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of operations that fail, find the queue full or are under way when their
 * connection ends, on any provider.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class OperationFailureContract {

	private static final int SIZE = 4096;

	/** What the port of soft-RoCE takes, and so that of the loopback. */
	private static final int LARGEST_MESSAGE = 8 << 20;

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	/** Receives that the peer has posted, none of which it posts again until it reads. */
	private static final int RECEIVES = ConnectedPair.MEMORY.bufferCount();

	private final List<ConnectedPair> pairs = new ArrayList<>();

	/**
	 * Return a provider; each registry asks for one.
	 * @return the provider
	 */
	abstract RdmaProvider openProvider();

	@AfterEach
	void close() {
		this.pairs.forEach(ConnectedPair::close);
	}

	private ConnectedPair connect() throws Exception {
		return connect(ConnectedPair.QUEUE_PAIR);
	}

	private ConnectedPair connect(QueuePairSettings queuePair) throws Exception {
		ConnectedPair pair = ConnectedPair.connect(this::openProvider, "192.0.2.1", queuePair);
		this.pairs.add(pair);
		return pair;
	}

	private static QueuePairSettings full(WhenFull whenFull, Duration timeout) {
		return new QueuePairSettings(4, RECEIVES, 1, 1, 0, whenFull, timeout, 3);
	}

	private static RegisteredMemory allAccess(RdmaConnection connection) {
		return connection.memory().allocate(SIZE, RemoteAccess.READ, RemoteAccess.WRITE, RemoteAccess.ATOMIC);
	}

	@ParameterizedTest
	@EnumSource
	void accessThatThePeerDoesNotPermitEndsBothSidesAndNoOtherConnection(Access access) throws Exception {
		ConnectedPair pair = connect();
		ConnectedPair other = connect();
		RegisteredMemory otherMemory = allAccess(other.server());
		PooledBuffer otherLocal = other.client().memory().allocate(64);
		for (Mistake mistake : Mistake.values()) {
			ConnectedPair victim = (mistake == Mistake.WRONG_KEY) ? pair : connect();
			checkMistake(victim, access, mistake);
			other.client().blocking().write(otherLocal, 0, otherMemory.remote(), 0, 64);
		}
		assertThat(other.client().isOpen()).as("the connection without a mistake").isTrue();
		assertThat(other.server().isOpen()).as("the connection without a mistake, at the peer").isTrue();
	}

	private static void checkMistake(ConnectedPair pair, Access access, Mistake mistake) throws Exception {
		RemoteMemory remote = mistake.make(pair.server(), access);
		PooledBuffer local = pair.client().memory().allocate(SIZE);
		var waiting = pair.server().receive();
		RdmaOperations operations = pair.client().operations();
		OperationFuture failed = access.begin(operations, local, remote);

		RdmaOperationException error = (RdmaOperationException) failure(failed);

		assertThat(error.status()).as("%s with %s: %s", access, mistake, error.getMessage())
			.isEqualTo(CompletionStatus.REM_ACCESS_ERR);
		assertThat(error.operation()).isEqualTo(access.operation());
		assertThat(error.errno()).isEqualTo(Errno.EIO.value());
		assertThat(error).hasMessageContaining(pair.client().toString())
			.hasMessageContaining("IBV_WC_REM_ACCESS_ERR (10), vendor error " + error.vendorError() + ", queue pair "
					+ error.queuePairNumber() + ": the peer's memory has another key");
		await().atMost(PATIENCE).until(() -> !pair.client().isOpen() && !pair.server().isOpen());
		pair.client().close().get(60, TimeUnit.SECONDS);
		assertThatExceptionOfType(ConnectionClosedException.class)
			.isThrownBy(() -> access.begin(operations, local, remote));
		assertThatExceptionOfType(ExecutionException.class).as("the peer learns of it")
			.isThrownBy(() -> waiting.get(60, TimeUnit.SECONDS))
			.withCauseInstanceOf(ConnectionClosedException.class);
	}

	@Test
	void operationThatIsLongerThanThePortTakesIsRefusedBeforeItIsSent() throws Exception {
		ConnectedPair pair = connect();
		int size = LARGEST_MESSAGE + 1;
		RegisteredMemory local = pair.client().memory().allocate(size, RemoteAccess.READ);
		RemoteMemory remote = pair.server().memory().allocate(size, RemoteAccess.READ, RemoteAccess.WRITE).remote();
		RdmaOperations operations = pair.client().operations();
		String refusal = "Operation of 8388609 bytes is longer than the 8MB that the port of the device takes";
		assertThatIllegalArgumentException()
			.isThrownBy(() -> operations.write(local, 0, remote, 0, size, new OperationFuture()))
			.withMessageContaining(refusal);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> operations.read(local, 0, remote, 0, size, new OperationFuture()))
			.withMessageContaining(refusal);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> operations.write(new MemoryRanges(2).add(local, 0, size - 64).add(local, 0, 64), remote,
					0, new OperationFuture()))
			.withMessageContaining(refusal);
		assertThatIllegalArgumentException().isThrownBy(() -> operations.batch(1).write(local, 0, remote, 0, size))
			.withMessageContaining(refusal);
		assertThat(
				operations.write(local, 0, remote, 0, LARGEST_MESSAGE, new OperationFuture()).get(60, TimeUnit.SECONDS))
			.isEqualTo(LARGEST_MESSAGE);
	}

	private static Throwable failure(OperationFuture future) {
		return catchThrowableOfType(ExecutionException.class, () -> future.get(60, TimeUnit.SECONDS)).getCause();
	}

	@Test
	void failureOfOneIsTheEndOfAllThatFollowEachToldOnce() throws Exception {
		ConnectedPair pair = connect();
		RegisteredMemory memory = allAccess(pair.server());
		PooledBuffer local = pair.client().memory().allocate(SIZE);
		RemoteMemory wrong = new RemoteMemory(memory.remote().address(), memory.remote().rkey() ^ 0x5a00, SIZE);
		Outcomes outcomes = new Outcomes();
		RdmaOperations operations = pair.client().operations();
		int posted = 0;
		try {
			operations.write(local, 0, wrong, 0, 64, outcomes.callback(posted++));
			for (int i = 0; i < 10; i++) {
				operations.write(local, 0, memory.remote(), 0, 64, outcomes.callback(posted));
				posted++;
			}
		}
		catch (ConnectionClosedException ex) {
			assertThat(posted).as("posted before the failure was noticed").isPositive();
		}
		outcomes.awaitAll(posted);
		assertThat(outcomes.error(0)).isInstanceOf(RdmaOperationException.class);
		for (int i = 1; i < posted; i++) {
			assertThat(outcomes.error(i)).as("operation %d", i).isInstanceOf(ConnectionClosedException.class);
		}
		assertThat(pair.client().close().get(60, TimeUnit.SECONDS)).isNotNull();
		outcomes.awaitAll(posted);
	}

	@Test
	void batchWithAMistakeInTheMiddleFailsOnceWithThatMistake() throws Exception {
		ConnectedPair pair = connect();
		RegisteredMemory memory = allAccess(pair.server());
		ByteBuffer atPeer = memory.data();
		PooledBuffer local = pair.client().memory().allocate(SIZE);
		local.data().put(0, (byte) 7);
		RemoteMemory wrong = new RemoteMemory(memory.remote().address(), memory.remote().rkey() ^ 0x5a00, SIZE);
		Outcomes outcomes = new Outcomes();
		WorkBatch batch = pair.client()
			.operations()
			.batch(4)
			.write(local, 0, memory.remote(), 0, 1)
			.read(local, 64, wrong, 0, 64)
			.write(local, 0, memory.remote(), 1, 1)
			.signal(outcomes.callback(0))
			.write(local, 0, memory.remote(), 2, 1);

		batch.post(outcomes.callback(1));

		outcomes.awaitAll(2);
		assertThat(outcomes.error(0)).as("the one behind").isInstanceOf(ConnectionClosedException.class);
		assertThat(outcomes.error(1)).as("the batch").isInstanceOf(RdmaOperationException.class);
		assertThat(((RdmaOperationException) outcomes.error(1)).operation()).isEqualTo(CompletionOpcode.RDMA_READ);
		assertThat(atPeer.get(0)).as("written before the mistake").isEqualTo((byte) 7);
		assertThat(atPeer.get(2)).as("written behind the mistake").isZero();
	}

	@Test
	void fullQueueRefusesAtOnceWhereConfigured() throws Exception {
		ConnectedPair pair = connect(full(WhenFull.FAIL, Duration.ofSeconds(10)));
		Outcomes outcomes = new Outcomes();
		fillQueue(pair, outcomes);
		PooledBuffer local = pair.client().memory().allocate(64);

		assertThatExceptionOfType(SendQueueFullException.class)
			.isThrownBy(() -> pair.client().operations().send(local, 0, 1, outcomes.callback(99)))
			.withMessageContaining("queue-pair.when-full is fail")
			.withMessageContaining("queue-pair.max-send-wr")
			.satisfies((ex) -> assertThat(ex.errno()).isEqualTo(Errno.ENOMEM.value()));
		assertThatExceptionOfType(SendQueueFullException.class)
			.isThrownBy(() -> pair.client().send(ByteBuffer.allocate(1)));

		receive(pair, RECEIVES + 4);
		outcomes.awaitAll(RECEIVES + 4);
		assertThat(outcomes.errors()).as("errors of those that were posted").isEmpty();
		pair.client().blocking().send(local, 0, 1);
	}

	@Test
	void fullQueueIsWaitedForUntilTheTimeIsUp() throws Exception {
		ConnectedPair pair = connect(full(WhenFull.WAIT, Duration.ofMillis(300)));
		Outcomes outcomes = new Outcomes();
		fillQueue(pair, outcomes);
		PooledBuffer local = pair.client().memory().allocate(64);

		assertThatExceptionOfType(SendQueueFullException.class)
			.isThrownBy(() -> pair.client().operations().send(local, 0, 1, outcomes.callback(99)))
			.withMessageContaining("became free within 300ms")
			.satisfies((ex) -> assertThat(ex.errno()).isEqualTo(Errno.ETIMEDOUT.value()));
		receive(pair, RECEIVES + 4);
		outcomes.awaitAll(RECEIVES + 4);
	}

	@Test
	void fullQueueIsWaitedForUntilThereIsRoom() throws Exception {
		ConnectedPair pair = connect(full(WhenFull.WAIT, PATIENCE));
		Outcomes outcomes = new Outcomes();
		fillQueue(pair, outcomes);
		PooledBuffer local = pair.client().memory().allocate(64);
		ExecutorService threads = Executors.newFixedThreadPool(4);
		List<Future<?>> waiting = new ArrayList<>();
		for (int i = 0; i < 4; i++) {
			int number = RECEIVES + 4 + i;
			waiting.add(threads.submit(() -> pair.client().operations().send(local, 0, 1, outcomes.callback(number))));
		}
		receive(pair, RECEIVES + 8);
		for (Future<?> one : waiting) {
			one.get(60, TimeUnit.SECONDS);
		}
		outcomes.awaitAll(RECEIVES + 8);
		assertThat(outcomes.errors()).isEmpty();
		threads.shutdown();
	}

	@Test
	void waitForRoomEndsWithTheConnectionAndWithAnInterrupt() throws Exception {
		ConnectedPair pair = connect(full(WhenFull.WAIT, PATIENCE));
		Outcomes outcomes = new Outcomes();
		fillQueue(pair, outcomes);
		PooledBuffer local = pair.client().memory().allocate(64);
		RdmaOperations operations = pair.client().operations();
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(RdmaException.class)
			.isThrownBy(() -> operations.send(local, 0, 1, outcomes.callback(99)))
			.satisfies((ex) -> assertThat(ex.errno()).isEqualTo(Errno.EINTR.value()));
		assertThat(Thread.interrupted()).as("interrupt is kept").isTrue();
		ExecutorService thread = Executors.newSingleThreadExecutor();
		Future<?> waiting = thread.submit(() -> operations.send(local, 0, 1, outcomes.callback(99)));
		pair.client().close().get(60, TimeUnit.SECONDS);
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> waiting.get(60, TimeUnit.SECONDS))
			.withCauseInstanceOf(ConnectionClosedException.class);
		thread.shutdown();
	}

	@Test
	void fullQueueParksAFewInTheirOrderWhereConfigured() throws Exception {
		ConnectedPair pair = connect(full(WhenFull.PARK, Duration.ofSeconds(10)));
		Outcomes outcomes = new Outcomes();
		int count = fillQueue(pair, outcomes);
		RdmaConnection client = pair.client();
		PooledBuffer local = client.memory().allocate(64);
		local.data().put(0, new byte[] { 100, 101 });
		client.operations().send(local, 0, 1, outcomes.callback(count++));
		client.operations().batch(1).send(local, 1, 1).post(outcomes.callback(count++));
		int message = count++;
		client.send(ByteBuffer.wrap(new byte[] { 102 }), (error) -> outcomes.callback(message).completed(1, error));

		assertThatExceptionOfType(SendQueueFullException.class)
			.isThrownBy(() -> client.operations().send(local, 0, 1, outcomes.callback(99)))
			.withMessageContaining("queue-pair.when-full is park");

		List<byte[]> received = receive(pair, count);
		outcomes.awaitAll(count);
		assertThat(outcomes.errors()).isEmpty();
		assertThat(received.subList(count - 3, count).stream().map((bytes) -> bytes[0])).as("order of what was parked")
			.containsExactly((byte) 100, (byte) 101, (byte) 102);
	}

	@ParameterizedTest
	@EnumSource
	void closeTellsEachOperationUnderWayExactlyOnce(WhenFull whenFull) throws Exception {
		ConnectedPair pair = connect(full(whenFull, Duration.ofMillis(10)));
		Outcomes outcomes = new Outcomes();
		int count = fillQueue(pair, outcomes);
		PooledBuffer local = pair.client().memory().allocate(64);
		if (whenFull == WhenFull.PARK) {
			for (int i = 0; i < 3; i++) {
				pair.client().operations().send(local, 0, 1, outcomes.callback(count++));
			}
		}
		local.close();

		pair.client().close().get(60, TimeUnit.SECONDS);

		outcomes.awaitAll(count);
		for (int i = RECEIVES; i < count; i++) {
			assertThat(outcomes.error(i)).as("operation %d", i).isInstanceOf(ConnectionClosedException.class);
		}
		assertThat(pair.client().close().get(60, TimeUnit.SECONDS).toLine()).contains("result=success");
	}

	@Test
	void memoryThatIsReleasedUnderWayIsKeptUntilTheOperationIsDone() throws Exception {
		ConnectedPair pair = connect();
		Outcomes outcomes = new Outcomes();
		for (int i = 0; i < RECEIVES; i++) {
			pair.client().send(ByteBuffer.allocate(1)).get(60, TimeUnit.SECONDS);
		}
		PooledBuffer local = pair.client().memory().allocate(64);
		local.data().put(0, new byte[] { 1, 2, 3 });
		pair.client().operations().send(local, 0, 3, outcomes.callback(0));
		local.close();
		for (int i = 0; i < 100; i++) {
			try (PooledBuffer next = pair.client().memory().allocate(64)) {
				next.data().put(0, new byte[] { 9, 9, 9 });
			}
		}

		List<byte[]> received = receive(pair, RECEIVES + 1);

		outcomes.awaitAll(1);
		assertThat(received.get(RECEIVES)).containsExactly(1, 2, 3);
	}

	@Test
	void sixteenThreadsPostWithoutLosingAny() throws Exception {
		ConnectedPair pair = connect();
		RegisteredMemory counters = allAccess(pair.server());
		ExecutorService threads = Executors.newFixedThreadPool(16);
		AtomicInteger told = new AtomicInteger();
		OperationCallback callback = (result, error) -> told.incrementAndGet();
		CountDownLatch start = new CountDownLatch(1);
		List<Future<?>> posting = new ArrayList<>();
		for (int i = 0; i < 16; i++) {
			int number = i;
			posting.add(threads.submit(() -> {
				start.await();
				post(pair.client(), counters.remote(), number, callback);
				return null;
			}));
		}
		start.countDown();
		for (Future<?> one : posting) {
			one.get(100, TimeUnit.SECONDS);
		}
		await().atMost(PATIENCE).until(() -> told.get() == 16 * rounds() * 2);
		ByteBuffer words = counters.data().order(ByteOrder.nativeOrder());
		for (int i = 0; i < 16; i++) {
			assertThat(words.getLong(8 * i)).as("counter of thread %d", i).isEqualTo(3L * rounds());
		}
		assertThat(pair.client().isOpen()).isTrue();
		threads.shutdown();
	}

	// Alternates single operations and batches.
	private void post(RdmaConnection connection, RemoteMemory counters, int number, OperationCallback callback) {
		RdmaOperations operations = connection.operations();
		WorkBatch batch = operations.batch(2).fetchAndAdd(counters, 8 * number, 1).fetchAndAdd(counters, 8 * number, 1);
		for (int i = 0; i < rounds(); i++) {
			operations.fetchAndAdd(counters, 8 * number, 1, callback);
			batch.post(callback);
		}
	}

	int rounds() {
		return 200;
	}

	// Send messages that the peer has receives for, and then as many as the queue holds.
	private static int fillQueue(ConnectedPair pair, Outcomes outcomes) {
		for (int i = 0; i < RECEIVES + 4; i++) {
			int number = i;
			pair.client()
				.send(ByteBuffer.wrap(new byte[] { (byte) i }),
						(error) -> outcomes.callback(number).completed(1, error));
			if (i < RECEIVES) {
				await().atMost(PATIENCE).until(() -> outcomes.count() > number);
			}
		}
		return RECEIVES + 4;
	}

	private static List<byte[]> receive(ConnectedPair pair, int count) throws Exception {
		List<byte[]> messages = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			messages.add(pair.server().receive().get(60, TimeUnit.SECONDS));
		}
		return messages;
	}

	/**
	 * What is done to the peer's memory.
	 */
	enum Access {

		READ(CompletionOpcode.RDMA_READ), WRITE(CompletionOpcode.RDMA_WRITE), ATOMIC(CompletionOpcode.FETCH_ADD);

		private final CompletionOpcode operation;

		Access(CompletionOpcode operation) {
			this.operation = operation;
		}

		CompletionOpcode operation() {
			return this.operation;
		}

		OperationFuture begin(RdmaOperations operations, RdmaMemory local, RemoteMemory remote) {
			return switch (this) {
				case READ -> operations.read(local, 0, remote, remote.length() - 8, 8, new OperationFuture());
				case WRITE -> operations.write(local, 0, remote, remote.length() - 8, 8, new OperationFuture());
				case ATOMIC -> operations.fetchAndAdd(remote, remote.length() - 8, 1, new OperationFuture());
			};
		}

		RemoteAccess[] allButThis() {
			return switch (this) {
				case READ -> new RemoteAccess[] { RemoteAccess.WRITE, RemoteAccess.ATOMIC };
				case WRITE -> new RemoteAccess[] { RemoteAccess.READ, RemoteAccess.ATOMIC };
				case ATOMIC -> new RemoteAccess[] { RemoteAccess.READ, RemoteAccess.WRITE };
			};
		}

	}

	/**
	 * What is wrong with the peer's memory.
	 */
	enum Mistake {

		WRONG_KEY, OUT_OF_BOUNDS, NOT_PERMITTED, DEREGISTERED;

		RemoteMemory make(RdmaConnection peer, Access access) {
			RegisteredMemory memory = (this != NOT_PERMITTED) ? allAccess(peer)
					: peer.memory().allocate(SIZE, access.allButThis());
			RemoteMemory remote = memory.remote();
			return switch (this) {
				case WRONG_KEY -> new RemoteMemory(remote.address(), remote.rkey() ^ 0x5a00, SIZE);
				case OUT_OF_BOUNDS -> new RemoteMemory(remote.address(), remote.rkey(), SIZE + 8);
				case NOT_PERMITTED -> remote;
				case DEREGISTERED -> {
					memory.close();
					yield remote;
				}
			};
		}

	}

	/**
	 * What callbacks were told, by number, and how often.
	 */
	private static final class Outcomes {

		private final Map<Integer, RuntimeException> errors = new ConcurrentHashMap<>();

		private final Map<Integer, AtomicInteger> told = new ConcurrentHashMap<>();

		private OperationCallback callback(int number) {
			return (result, error) -> {
				if (error != null) {
					this.errors.put(number, error);
				}
				this.told.computeIfAbsent(number, (key) -> new AtomicInteger()).incrementAndGet();
			};
		}

		private int count() {
			return this.told.size();
		}

		private RuntimeException error(int number) {
			return this.errors.get(number);
		}

		private Map<Integer, RuntimeException> errors() {
			return this.errors;
		}

		// Wait until the first ones were told, each once, and no other.
		private void awaitAll(int count) {
			await().atMost(PATIENCE).until(() -> this.told.size() >= count);
			assertThat(this.told).as("operations whose outcome was told").hasSize(count);
			assertThat(this.told.values()).as("how often each was told")
				.allSatisfy((times) -> assertThat(times).hasValue(1));
		}

	}

}
