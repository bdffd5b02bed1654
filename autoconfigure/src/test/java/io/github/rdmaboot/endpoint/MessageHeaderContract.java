package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

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
import static org.awaitility.Awaitility.await;

/**
 * What messages of connections with credits carry besides their content, on any provider:
 * in their immediate data or in front of the content. No device repeats a message that
 * finds no receive.
 */
@Timeout(value = 200, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class MessageHeaderContract {

	static final Duration PATIENCE = Duration.ofSeconds(60);

	static final ConnectionSettings NO_RETRY = new ConnectionSettings(4, 4, 6, 0, new byte[0], null, null);

	static final int RECEIVES = 4;

	static final MessageSettings CREDITS = new MessageSettings(OversizedMessages.REJECT, 100_000, FlowControl.CREDITS);

	static final MessageSettings FRAGMENTS = new MessageSettings(OversizedMessages.FRAGMENT, 100_000,
			FlowControl.CREDITS);

	static final MessageSettings NONE = MessageSettings.defaults();

	private final List<ConnectedPair> pairs = new ArrayList<>();

	final Semaphore read = new Semaphore(0);

	final AtomicInteger received = new AtomicInteger();

	/**
	 * Return a provider; each registry asks for one.
	 * @return the provider
	 */
	abstract RdmaProvider openProvider();

	/**
	 * Return whether messages and writes can carry immediate data.
	 * @return whether they can
	 */
	boolean hasImmediateData() {
		return true;
	}

	@AfterEach
	void close() {
		this.read.release(1_000_000);
		this.pairs.forEach(ConnectedPair::close);
	}

	ConnectedPair connect(MessageSettings ofServer, MessageSettings ofClient, WhenFull whenFull, Duration timeout,
			CompletionSettings completion) throws Exception {
		return connect(ofServer, ofClient, whenFull, timeout, completion, RECEIVES);
	}

	ConnectedPair connect(MessageSettings ofServer, MessageSettings ofClient, WhenFull whenFull, Duration timeout,
			CompletionSettings completion, int receives) throws Exception {
		return connect(new MemorySettings(1024, receives, ofServer), new MemorySettings(1024, receives, ofClient),
				whenFull, timeout, completion);
	}

	ConnectedPair connect(MemorySettings ofServer, MemorySettings ofClient, WhenFull whenFull, Duration timeout,
			CompletionSettings completion) throws Exception {
		QueuePairSettings queuePair = new QueuePairSettings(16, 16, 4, 1, 64, whenFull, timeout, 64);
		ConnectedPair pair = ConnectedPair.connect(this::openProvider, "192.0.2.1", queuePair, NO_RETRY, ofServer,
				ofClient, completion);
		this.pairs.add(pair);
		return pair;
	}

	ConnectedPair connect(MessageSettings messages, WhenFull whenFull) throws Exception {
		return connect(messages, messages, whenFull, PATIENCE, CompletionSettings.defaults());
	}

	static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
	}

	// Have the server read a message only when it is told to.
	void readSlowly(ConnectedPair pair) {
		pair.onMessageOfServer((connection, message) -> {
			this.read.acquireUninterruptibly();
			assertThat(message.get()).as("order of the messages").isEqualTo((byte) this.received.get());
			this.received.incrementAndGet();
		});
	}

	static ByteBuffer message(int number) {
		return ByteBuffer.wrap(new byte[] { (byte) number });
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
		await().atMost(PATIENCE)
			.ignoreException(SendQueueFullException.class)
			.untilAsserted(() -> get(pair.client().send(message(RECEIVES - 1))));
		assertThat(pair.client().isOpen()).isTrue();
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
			if (hasImmediateData()) {
				get(operations.writeWithImmediate(local, 0, remote, 0, 8, i, new OperationFuture()));
			}
			get(batch.post(new OperationFuture()));
		}
		int each = hasImmediateData() ? 5 : 4;
		await().atMost(PATIENCE).until(() -> this.received.get() == 50 * each);
		assertThat(pair.client().isOpen()).isTrue();
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
		if (hasImmediateData()) {
			CompletableFuture<RdmaMessage> written = pair.server().receiveMessage();
			get(operations.writeWithImmediate(local, 0, remote, 0, 8, -7, new OperationFuture()));
			assertThat(get(written).immediateData()).isEqualTo(-7);
		}
		else {
			for (int i = 0; i < 2 * RECEIVES; i++) {
				assertThatExceptionOfType(RdmaException.class)
					.isThrownBy(() -> operations.writeWithImmediate(local, 0, remote, 0, 8, -7, new OperationFuture()))
					.satisfies((ex) -> assertThat(ex.errno()).isEqualTo(Errno.EINVAL.value()));
			}
		}
		CompletableFuture<RdmaMessage> sent = pair.server().receiveMessage();
		get(operations.send(local, 0, 8, new OperationFuture()));
		assertThat(get(sent).immediateData()).isNull();
	}

	@ParameterizedTest
	@EnumSource(OversizedMessages.class)
	void everyKindOfMessageArrivesByteForByte(OversizedMessages oversized) throws Exception {
		ConnectedPair pair = connect((oversized == OversizedMessages.FRAGMENT) ? FRAGMENTS : CREDITS, WhenFull.WAIT);
		RdmaOperations operations = pair.client().operations();
		RegisteredMemory local = pair.client().memory().allocate(2048, RemoteAccess.READ);
		for (int i = 0; i < 2048; i++) {
			local.data().put(i, (byte) (i * 7));
		}
		MemoryRanges ranges = new MemoryRanges(4).add(local, 3, 5).add(local, 100, 0).add(local, 500, 700);
		WorkBatch batch = operations.batch(2).send(local, 9, 33).sendInline(slice(local, 40, 17));

		for (int round = 0; round < 5; round++) {
			get(operations.send(local, 1000, 1024, new OperationFuture()));
			expect(pair, slice(local, 1000, 1024));
			get(operations.send(local, 0, 0, new OperationFuture()));
			expect(pair, slice(local, 0, 0));
			get(operations.send(ranges, new OperationFuture()));
			expect(pair, ByteBuffer.allocate(705).put(slice(local, 3, 5)).put(slice(local, 500, 700)).flip());
			get(operations.sendInline(slice(local, 77, 64), new OperationFuture()));
			expect(pair, slice(local, 77, 64));
			get(batch.post(new OperationFuture()));
			expect(pair, slice(local, 9, 33));
			expect(pair, slice(local, 40, 17));
			get(pair.client().send(slice(local, 1, 1024)));
			expect(pair, slice(local, 1, 1024));
		}
		assertThat(pair.client().isOpen()).isTrue();
	}

	private static ByteBuffer slice(RegisteredMemory memory, int offset, int length) {
		return memory.data().slice(offset, length);
	}

	private static void expect(ConnectedPair pair, ByteBuffer message) throws Exception {
		byte[] expected = new byte[message.remaining()];
		message.get(expected);
		RdmaMessage received = get(pair.server().receiveMessage());
		assertThat(received.bytes()).isEqualTo(expected);
		assertThat(received.immediateData()).isNull();
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
