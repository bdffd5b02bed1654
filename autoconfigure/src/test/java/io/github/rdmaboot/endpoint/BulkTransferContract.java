package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.CRC32C;

import io.github.rdmaboot.provider.RdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Transfers of much data, checksummed, while other connections of the same endpoints are
 * made and closed. The system property {@code rdma.test.transfer-size} sets how many MiB.
 */
@Timeout(value = 900, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class BulkTransferContract {

	private static final int MIB = 1 << 20;

	private static final int WINDOW = 8 * MIB;

	private static final int CHUNK = MIB / 4;

	private static final int MESSAGE = 64 * 1024;

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final QueuePairSettings QUEUE_PAIR = new QueuePairSettings(32, 32, 1, 1, 0);

	private static final MemorySettings MEMORY = new MemorySettings(MESSAGE, 16);

	private final AtomicBoolean ended = new AtomicBoolean();

	private RdmaEndpoints serverSide;

	private RdmaEndpoints clientSide;

	private RdmaServer server;

	private RdmaConnection client;

	private CompletableFuture<Integer> others;

	/**
	 * Return a provider; each registry asks for one.
	 * @return the provider
	 */
	abstract RdmaProvider openProvider();

	private static long bytes() {
		return Integer.getInteger("rdma.test.transfer-size", 32) * (long) MIB;
	}

	@BeforeEach
	void connect() throws Exception {
		ShutdownSettings shutdown = new ShutdownSettings(Duration.ofSeconds(20), Duration.ofSeconds(3),
				Duration.ofSeconds(2), Duration.ofSeconds(5));
		this.serverSide = CheckedEndpoints.create(this::openProvider, shutdown, null);
		this.server = this.serverSide.addServer(new ServerSettings("server", "192.0.2.1", 0, 16, QUEUE_PAIR,
				TestSettings.CONNECTION, MEMORY, CompletionSettings.defaults()));
		this.serverSide.start();
		this.clientSide = CheckedEndpoints.create(this::openProvider, shutdown, null);
		RdmaClient client = client("client");
		this.clientSide.start();
		this.client = client.connect().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		await().atMost(PATIENCE).until(() -> !this.server.connections().isEmpty());
		RdmaClient other = client("other");
		other.start();
		this.others = CompletableFuture.supplyAsync(() -> connectAndClose(other));
	}

	private RdmaClient client(String name) {
		return this.clientSide.addClient(new ClientSettings(name, "192.0.2.1", this.server.port(), null, PATIENCE,
				PATIENCE, ClientStartup.LAZY, TestSettings.NO_RECONNECT, QUEUE_PAIR, TestSettings.CONNECTION, MEMORY,
				CompletionSettings.defaults()));
	}

	@AfterEach
	void close() {
		this.ended.set(true);
		this.clientSide.close();
		this.serverSide.close();
	}

	// Return how often another connection was made, used and closed with operations under
	// way.
	private int connectAndClose(RdmaClient other) {
		int times = 0;
		while (!this.ended.get()) {
			try {
				RdmaConnection connection = other.connect().get(60, TimeUnit.SECONDS);
				connection.send(ByteBuffer.allocate(1)).get(60, TimeUnit.SECONDS);
				CompletableFuture<Void> underWay = connection.send(ByteBuffer.allocate(MESSAGE));
				connection.close().get(60, TimeUnit.SECONDS);
				underWay.exceptionally((error) -> null).get(60, TimeUnit.SECONDS);
				times++;
			}
			catch (Exception ex) {
				throw new IllegalStateException("another connection, after " + times, ex);
			}
		}
		return times;
	}

	@Test
	void writesArriveWholeWhileOtherConnectionsComeAndGo() throws Exception {
		RdmaConnection peer = this.server.connections().iterator().next();
		RegisteredMemory target = peer.memory().allocate(WINDOW, RemoteAccess.WRITE);
		RegisteredMemory source = this.client.memory().allocate(WINDOW, RemoteAccess.READ);
		BlockingRdmaOperations operations = this.client.blocking(PATIENCE);
		WorkBatch batch = this.client.operations().batch(WINDOW / CHUNK);
		long begin = System.nanoTime();
		for (long window = 0; window < bytes() / WINDOW; window++) {
			long sent = fill(source.data(), window);
			batch.clear();
			for (int offset = 0; offset < WINDOW; offset += CHUNK) {
				batch.write(source, offset, target.remote(), offset, CHUNK);
			}
			operations.post(batch);
			assertThat(checksum(target.data())).as("checksum of window %d", window).isEqualTo(sent);
		}
		endOthers("write", begin);
	}

	@Test
	void messagesArriveWholeAndInOrderWhileOtherConnectionsComeAndGo() throws Exception {
		long number = this.server.connections().iterator().next().number();
		CRC32C received = new CRC32C();
		BlockingQueue<Long> answers = new LinkedBlockingQueue<>();
		this.server.onMessage((connection, message) -> {
			if (connection.number() != number) {
				return;
			}
			if (message.remaining() == 0) {
				answers.add(received.getValue());
				return;
			}
			received.update(message);
		});
		ByteBuffer content = ByteBuffer.allocateDirect(MESSAGE);
		CRC32C sent = new CRC32C();
		long begin = System.nanoTime();
		for (long i = 0; i < bytes() / MESSAGE; i++) {
			fill(content, i);
			sent.update(content.clear());
			this.client.send(content.clear(), (error) -> {
			});
		}
		this.client.send(ByteBuffer.allocate(0)).get(60, TimeUnit.SECONDS);
		assertThat(answers.poll(60, TimeUnit.SECONDS)).as("checksum of all messages").isEqualTo(sent.getValue());
		endOthers("send", begin);
	}

	private void endOthers(String operation, long begin) throws Exception {
		Duration took = Duration.ofNanos(System.nanoTime() - begin);
		this.ended.set(true);
		int times = this.others.get(120, TimeUnit.SECONDS);
		assertThat(times).as("other connections that were closed meanwhile").isPositive();
		assertThat(this.client.isOpen()).as("the connection of the transfer").isTrue();
		System.out.printf("%s: %d MiB in %d ms, %d other connections closed meanwhile%n", operation, bytes() / MIB,
				took.toMillis(), times);
	}

	// Fill a buffer with what no other round has, and return its checksum.
	private static long fill(ByteBuffer buffer, long round) {
		long value = round * 0x9e3779b97f4a7c15L;
		for (int i = 0; i < buffer.capacity(); i += Long.BYTES) {
			value = value * 6364136223846793005L + 1442695040888963407L;
			buffer.putLong(i, value);
		}
		return checksum(buffer);
	}

	private static long checksum(ByteBuffer buffer) {
		CRC32C checksum = new CRC32C();
		checksum.update(buffer.duplicate().clear());
		return checksum.getValue();
	}

}
