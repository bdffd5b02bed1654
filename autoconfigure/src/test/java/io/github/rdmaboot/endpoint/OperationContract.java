package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * What operations do to memory on both sides, on any provider.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class OperationContract {

	private static final int SIZE = 128 * 1024;

	private final Random random = new Random(42);

	private ConnectedPair pair;

	private RdmaConnection client;

	private BlockingRdmaOperations blocking;

	private RegisteredMemory local;

	private RegisteredMemory atPeer;

	private RemoteMemory remote;

	/**
	 * Return a provider; each registry asks for one.
	 * @return the provider
	 */
	abstract RdmaProvider openProvider();

	@BeforeEach
	void connect() throws Exception {
		this.pair = ConnectedPair.connect(this::openProvider, "192.0.2.1");
		this.client = this.pair.client();
		this.blocking = this.client.blocking();
		this.local = this.client.memory().allocate(SIZE, RemoteAccess.READ);
		this.atPeer = this.pair.server()
			.memory()
			.allocate(SIZE, RemoteAccess.READ, RemoteAccess.WRITE, RemoteAccess.ATOMIC);
		this.remote = this.atPeer.remote();
	}

	@AfterEach
	void close() {
		this.pair.close();
	}

	private byte[] fill(RdmaMemory memory, int offset, int length) {
		byte[] bytes = new byte[length];
		this.random.nextBytes(bytes);
		memory.data().put(offset, bytes);
		return bytes;
	}

	private static byte[] bytes(RdmaMemory memory, int offset, int length) {
		byte[] bytes = new byte[length];
		memory.data().get(offset, bytes);
		return bytes;
	}

	private byte[] receivedByPeer() throws Exception {
		return this.pair.server().receive().get(60, TimeUnit.SECONDS);
	}

	@Test
	void messageFromRegisteredMemoryArrives() throws Exception {
		for (int length : new int[] { 0, 1, 100, 4096 }) {
			byte[] sent = fill(this.local, 7, length);
			this.blocking.send(this.local, 7, length);
			assertThat(receivedByPeer()).as("message of %d bytes", length).isEqualTo(sent);
		}
	}

	@Test
	void messageFromPooledMemoryArrives() throws Exception {
		try (PooledBuffer buffer = this.client.memory().allocate(1000)) {
			byte[] sent = fill(buffer, 10, 90);
			this.blocking.send(buffer, 10, 90);
			assertThat(receivedByPeer()).isEqualTo(sent);
		}
	}

	@Test
	void messageWithImmediateDataArrives() throws Exception {
		byte[] sent = fill(this.local, 0, 33);
		this.blocking.sendWithImmediate(this.local, 0, 33, 0xcafe);
		RdmaMessage message = this.pair.server().receiveMessage().get(60, TimeUnit.SECONDS);
		assertThat(message.bytes()).isEqualTo(sent);
		assertThat(message.immediateData()).isEqualTo(0xcafe);
		this.blocking.send(this.local, 0, 33);
		message = this.pair.server().receiveMessage().get(60, TimeUnit.SECONDS);
		assertThat(message.bytes()).isEqualTo(sent);
		assertThat(message.immediateData()).isNull();
	}

	@Test
	void handlerIsToldOfImmediateDataAndWhereThereIsNone() throws Exception {
		BlockingQueue<String> handled = new LinkedBlockingQueue<>();
		this.pair.onMessageOfServer(new RdmaMessageHandler() {

			@Override
			public void onMessage(RdmaConnection connection, ByteBuffer message) {
				handled.add(message.remaining() + " bytes");
			}

			@Override
			public void onMessage(RdmaConnection connection, ByteBuffer message, int immediateData) {
				handled.add(message.remaining() + " bytes and " + immediateData);
			}

		});
		for (int i = 0; i < 20; i++) {
			this.blocking.sendWithImmediate(this.local, 0, 10, -i);
			this.blocking.send(this.local, 0, 11);
			this.blocking.writeWithImmediate(this.local, 0, this.remote, 0, 12, i);
			assertThat(handled.poll(60, TimeUnit.SECONDS)).isEqualTo("10 bytes and " + -i);
			assertThat(handled.poll(60, TimeUnit.SECONDS)).isEqualTo("11 bytes");
			assertThat(handled.poll(60, TimeUnit.SECONDS)).isEqualTo("0 bytes and " + i);
		}
	}

	@Test
	void inlineMessageIsCopiedAtOnceFromAnyMemory() throws Exception {
		ByteBuffer message = ByteBuffer.allocate(80).put(8, new byte[] { 1, 2, 3 }).position(8).limit(11);
		OperationFuture sent = this.client.operations().sendInline(message, new OperationFuture());
		message.put(8, new byte[3]);
		assertThat(sent.get(60, TimeUnit.SECONDS)).isEqualTo(3);
		assertThat(receivedByPeer()).containsExactly(1, 2, 3);
		assertThat(message.remaining()).isZero();
		this.blocking.sendInline(ByteBuffer.allocate(0));
		assertThat(receivedByPeer()).isEmpty();
	}

	@Test
	void inlineMessageThatIsTooLargeIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.blocking.sendInline(ByteBuffer.allocate(65)))
			.withMessageContaining("65 bytes")
			.withMessageContaining("queue-pair.max-inline-data");
		assertThat(this.client.isOpen()).isTrue();
	}

	@Test
	void writeChangesThePeersMemoryAndNothingAroundIt() {
		for (int length : new int[] { 0, 1, 4096, 100_000 }) {
			byte[] before = fill(this.atPeer, 0, SIZE);
			byte[] written = fill(this.local, 5, length);
			this.blocking.write(this.local, 5, this.remote, 9, length);
			assertThat(bytes(this.atPeer, 9, length)).as("%d bytes written", length).isEqualTo(written);
			assertThat(bytes(this.atPeer, 0, 9)).as("before").isEqualTo(Arrays.copyOf(before, 9));
			assertThat(bytes(this.atPeer, 9 + length, 9)).as("behind")
				.isEqualTo(Arrays.copyOfRange(before, 9 + length, 18 + length));
		}
	}

	@Test
	void readFetchesThePeersMemory() {
		for (int length : new int[] { 0, 1, 4096, 100_000 }) {
			byte[] expected = fill(this.atPeer, 3, length);
			this.blocking.read(this.local, 11, this.remote, 3, length);
			assertThat(bytes(this.local, 11, length)).as("%d bytes read", length).isEqualTo(expected);
		}
	}

	@Test
	void sliceOfRemoteMemoryBeginsWhereItSays() {
		byte[] written = fill(this.local, 0, 64);
		this.blocking.write(this.local, 0, this.remote.slice(1000, 100), 36, 64);
		assertThat(bytes(this.atPeer, 1036, 64)).isEqualTo(written);
	}

	@Test
	void writeWithImmediateDataTakesAReceiveOfThePeer() throws Exception {
		byte[] written = fill(this.local, 0, 5000);
		this.blocking.writeWithImmediate(this.local, 0, this.remote, 0, 5000, 77);
		RdmaMessage message = this.pair.server().receiveMessage().get(60, TimeUnit.SECONDS);
		assertThat(message.bytes()).as("what is left of the receive").isEmpty();
		assertThat(message.immediateData()).isEqualTo(77);
		assertThat(bytes(this.atPeer, 0, 5000)).isEqualTo(written);
	}

	@Test
	void rangesAreGatheredAndScattered() throws Exception {
		byte[] first = fill(this.local, 100, 10);
		byte[] second = fill(this.local, 0, 20);
		MemoryRanges ranges = new MemoryRanges(4).add(this.local, 100, 10).add(this.local, 0, 20).add(this.local, 5, 0);
		byte[] joined = ByteBuffer.allocate(30).put(first).put(second).array();

		this.blocking.send(ranges);
		assertThat(receivedByPeer()).as("sent").isEqualTo(joined);
		this.blocking.write(ranges, this.remote, 50);
		assertThat(bytes(this.atPeer, 50, 30)).as("written").isEqualTo(joined);
		byte[] expected = fill(this.atPeer, 200, 30);
		this.blocking.read(ranges, this.remote, 200);

		assertThat(ByteBuffer.allocate(30).put(bytes(this.local, 100, 10)).put(bytes(this.local, 0, 20)).array())
			.as("read")
			.isEqualTo(expected);
	}

	@Test
	void moreRangesThanTheQueuePairTakesAreRefused() {
		MemoryRanges ranges = new MemoryRanges(5);
		for (int i = 0; i < 5; i++) {
			ranges.add(this.local, i, 1);
		}
		assertThatIllegalArgumentException().isThrownBy(() -> this.blocking.write(ranges, this.remote, 0))
			.withMessageContaining("4 ranges")
			.withMessageContaining("queue-pair.max-send-sge");
		assertThatIllegalStateException().isThrownBy(() -> ranges.add(this.local, 0, 1));
	}

	@Test
	void compareAndSwapReplacesAnExpectedValueAndReturnsTheOneBefore() {
		ByteBuffer words = this.atPeer.data().order(ByteOrder.nativeOrder());
		words.putLong(64, 5);
		assertThat(this.blocking.compareAndSwap(this.remote, 64, 4, 9)).as("other value").isEqualTo(5);
		assertThat(words.getLong(64)).isEqualTo(5);
		assertThat(this.blocking.compareAndSwap(this.remote, 64, 5, -9)).as("expected value").isEqualTo(5);
		assertThat(words.getLong(64)).isEqualTo(-9);
	}

	@Test
	void fetchAndAddAddsAndReturnsTheValueBefore() throws Exception {
		ByteBuffer words = this.atPeer.data().order(ByteOrder.nativeOrder());
		words.putLong(8, Long.MAX_VALUE);
		assertThat(this.blocking.fetchAndAdd(this.remote, 8, 2)).isEqualTo(Long.MAX_VALUE);
		assertThat(words.getLong(8)).isEqualTo(Long.MIN_VALUE + 1);
		OperationFuture future = this.client.operations().fetchAndAdd(this.remote, 8, -1, new OperationFuture());
		assertThat(future.get(60, TimeUnit.SECONDS)).isEqualTo(Long.MIN_VALUE + 1);
	}

	@Test
	void atomicsNeedAnAlignedAddress() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.blocking.fetchAndAdd(this.remote, 4, 1))
			.withMessageContaining("multiple of 8");
		assertThat(this.client.isOpen()).isTrue();
	}

	@Test
	void batchIsCarriedOutInItsOrderAndToldOnce() throws Exception {
		fill(this.local, 0, 300);
		ByteBuffer words = this.atPeer.data().order(ByteOrder.nativeOrder());
		words.putLong(1024, 10);
		List<Long> middle = new ArrayList<>();
		WorkBatch batch = this.client.operations().batch(8);
		batch.write(this.local, 0, this.remote, 0, 100)
			.fetchAndAdd(this.remote, 1024, 5)
			.signal((result, error) -> middle.add(result))
			.compareAndSwap(this.remote, 1024, 15, 20)
			.read(this.local, 1000, this.remote, 0, 100)
			.send(this.local, 0, 50)
			.sendInline(ByteBuffer.wrap(new byte[] { 4, 5 }));

		long bytes = batch.post(new OperationFuture()).get(60, TimeUnit.SECONDS);

		assertThat(bytes).isEqualTo(100 + 8 + 8 + 100 + 50 + 2);
		assertThat(batch.value(1)).as("found by the first atomic").isEqualTo(10);
		assertThat(batch.value(2)).as("found by the second atomic").isEqualTo(15);
		assertThat(words.getLong(1024)).isEqualTo(20);
		assertThat(bytes(this.local, 1000, 100)).as("read behind the write").isEqualTo(bytes(this.local, 0, 100));
		assertThat(receivedByPeer()).isEqualTo(bytes(this.local, 0, 50));
		assertThat(receivedByPeer()).containsExactly(4, 5);
		await().untilAsserted(() -> assertThat(middle).as("told of the signalled one").containsExactly(10L));
	}

	@Test
	void batchMayBePostedAgainAndRefilledAtOnce() throws Exception {
		WorkBatch batch = this.client.operations().batch(4);
		List<OperationFuture> futures = new ArrayList<>();
		for (int round = 0; round < 20; round++) {
			batch.clear();
			for (int i = 0; i < 4; i++) {
				batch.fetchAndAdd(this.remote, 8 * i, 1);
			}
			futures.add(batch.post(new OperationFuture()));
			futures.add(batch.post(new OperationFuture()));
		}
		for (OperationFuture future : futures) {
			assertThat(future.get(60, TimeUnit.SECONDS)).isEqualTo(32);
		}
		ByteBuffer words = this.atPeer.data().order(ByteOrder.nativeOrder());
		for (int i = 0; i < 4; i++) {
			assertThat(words.getLong(8 * i)).as("counter %d", i).isEqualTo(40);
		}
	}

	@Test
	void batchHasItsBounds() {
		RdmaOperations operations = this.client.operations();
		assertThatIllegalArgumentException().isThrownBy(() -> operations.batch(17))
			.withMessage("capacity is 17 but must be from 1 to 16");
		WorkBatch batch = operations.batch(1);
		assertThatIllegalArgumentException().isThrownBy(() -> batch.post(new OperationFuture()))
			.withMessage("The batch is empty");
		batch.write(this.local, 0, this.remote, 0, 1);
		assertThatIllegalStateException().isThrownBy(() -> batch.write(this.local, 0, this.remote, 0, 1));
		assertThatIllegalArgumentException().isThrownBy(() -> batch.value(0));
	}

	@Test
	void rangesAreCheckedBeforeAnythingIsSent() {
		RdmaOperations operations = this.client.operations();
		OperationFuture none = new OperationFuture();
		assertThatExceptionOfType(IndexOutOfBoundsException.class)
			.isThrownBy(() -> operations.write(this.local, SIZE - 1, this.remote, 0, 2, none))
			.withMessageContaining("local memory");
		assertThatExceptionOfType(IndexOutOfBoundsException.class)
			.isThrownBy(() -> operations.read(this.local, 0, this.remote, SIZE - 1, 2, none))
			.withMessageContaining("remote memory");
		assertThatExceptionOfType(IndexOutOfBoundsException.class)
			.isThrownBy(() -> operations.compareAndSwap(this.remote, SIZE - 4, 0, 0, none));
		assertThatExceptionOfType(IndexOutOfBoundsException.class)
			.isThrownBy(() -> operations.send(this.local, -1, 1, none));
		assertThat(none).isNotDone();
		assertThat(this.client.isOpen()).isTrue();
		for (int i = 0; i < 40; i++) {
			this.blocking.write(this.local, 0, this.remote, 0, 8);
		}
	}

	@Test
	void memoryThatWasReleasedIsRefused() {
		RegisteredMemory released = this.client.memory().allocate(64, RemoteAccess.READ);
		WorkBatch batch = this.client.operations()
			.batch(2)
			.write(this.local, 0, this.remote, 0, 8)
			.write(released, 0, this.remote, 0, 8);
		released.close();

		assertThatIllegalStateException().isThrownBy(() -> this.blocking.write(released, 0, this.remote, 0, 8))
			.withMessageContaining("was released");
		assertThatIllegalStateException().isThrownBy(() -> this.blocking.post(batch));
		this.local.close();
		assertThatIllegalStateException().as("memory of a batch that was refused is not in use")
			.isThrownBy(() -> this.local.data());
	}

	@Test
	void memoryOfAnotherRegistryIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.blocking.send(this.atPeer, 0, 1))
			.withMessageContaining("another device");
	}

	@Test
	void readsAreRefusedWhereThePeerServesNone() throws Exception {
		ConnectionSettings none = new ConnectionSettings(0, 0, 6, 7, new byte[0], null, null);
		try (ConnectedPair without = ConnectedPair.connect(this::openProvider, "192.0.2.1", none)) {
			RegisteredMemory memory = without.server().memory().allocate(64, RemoteAccess.READ, RemoteAccess.WRITE);
			PooledBuffer buffer = without.client().memory().allocate(64);
			BlockingRdmaOperations operations = without.client().blocking();

			assertThatExceptionOfType(RdmaException.class)
				.isThrownBy(() -> operations.read(buffer, 0, memory.remote(), 0, 8))
				.withMessageContaining("connection.initiator-depth")
				.satisfies((ex) -> assertThat(ex.errno()).isEqualTo(Errno.EOPNOTSUPP.value()));
			operations.write(buffer, 0, memory.remote(), 0, 8);
			assertThat(without.client().isOpen()).isTrue();
		}
	}

	@Test
	void readsOfAConnectionThatIsClosedSaySo() throws Exception {
		RdmaOperations operations = this.client.operations();
		OperationFuture none = new OperationFuture();
		this.client.close().get(60, TimeUnit.SECONDS);
		assertThatExceptionOfType(ConnectionClosedException.class)
			.isThrownBy(() -> operations.fetchAndAdd(this.remote, 0, 1, none));
		assertThatExceptionOfType(ConnectionClosedException.class)
			.isThrownBy(() -> operations.batch(1).compareAndSwap(this.remote, 0, 1, 2).post(none));
		assertThatExceptionOfType(ConnectionClosedException.class).isThrownBy(this.client::operations);
		assertThat(none).isNotDone();
	}

}
