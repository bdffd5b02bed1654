package io.github.rdmaboot.endpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.verbs.MemoryPoolExhaustedException;
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
 * What the memory of a connection is, on any provider.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class ConnectionMemoryContract {

	static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final ShutdownSettings SHUTDOWN = new ShutdownSettings(Duration.ofSeconds(20), Duration.ofSeconds(3),
			Duration.ofSeconds(2), Duration.ofSeconds(1));

	private static final int MB = 1024 * 1024;

	private String before;

	private RdmaEndpoints servers;

	private RdmaEndpoints registry;

	private RdmaServer server;

	private RdmaClient client;

	private RdmaConnection connection;

	/**
	 * Return a provider; each start of a registry asks for one.
	 * @return the provider
	 */
	abstract RdmaProvider openProvider();

	/**
	 * Return an address of this host that endpoints can listen on.
	 * @return the address
	 */
	abstract String localAddress();

	/**
	 * Return what the provider counts of native objects, to compare.
	 * @return the counts
	 */
	abstract String nativeObjects();

	@BeforeEach
	void connect() throws Exception {
		this.before = nativeObjects();
		this.servers = CheckedEndpoints.create(this::openProvider, ShutdownSettings.defaults(), null);
		this.server = this.servers.addServer(TestSettings.server("server", localAddress(), 0));
		this.servers.start();
		this.registry = CheckedEndpoints.create(this::openProvider, Duration.ofSeconds(5), SHUTDOWN,
				new MemoryPoolSettings(MB, 8 * MB, 64), null);
		this.registry.start();
		this.client = addClient("client");
		this.connection = get(this.client.connect());
	}

	@AfterEach
	void close() {
		this.registry.close();
		this.servers.close();
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(nativeObjects()).isEqualTo(this.before));
		checkClosed();
	}

	// Check what is known of the calls, all of which have been made.
	void checkClosed() {
	}

	RdmaClient addClient(String name) {
		RdmaClient added = this.registry.addClient(TestSettings.client(name, localAddress(), this.server.port(),
				ClientStartup.BACKGROUND, TestSettings.NO_RECONNECT));
		added.start();
		return added;
	}

	RdmaServer server() {
		return this.server;
	}

	RdmaClient client() {
		return this.client;
	}

	RdmaConnection connection() {
		return this.connection;
	}

	static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
	}

	@Test
	void buffersComeFromMemoryThatIsRegisteredAlready() {
		long used = this.client.statistics().registeredBytes();
		try (PooledBuffer first = this.connection.memory().allocate(1000)) {
			long pooled = this.registry.pooledBytes();
			try (PooledBuffer second = this.connection.memory().allocate(1000)) {
				assertThat(second.address() % 64).as("alignment").isZero();
				assertThat(this.registry.pooledBytes()).as("registered by the pool").isEqualTo(pooled);
				assertThat(first.address()).isNotEqualTo(second.address());
				assertThat(first.lkey()).isEqualTo(second.lkey());
			}
			assertThat(this.client.statistics().registeredBytes()).as("registered in use").isEqualTo(used + 1000);
		}
		assertThat(this.client.statistics().registeredBytes()).as("registered in use").isEqualTo(used);
	}

	@Test
	void bufferThatWasClosedThrows() {
		PooledBuffer buffer = this.connection.memory().allocate(8);
		buffer.close();
		buffer.close();
		assertThatIllegalStateException().isThrownBy(buffer::data).withMessageContaining("was released");
		assertThatIllegalStateException().isThrownBy(buffer::retain);
	}

	@Test
	void poolThatIsUsedUpNamesItsBound() {
		assertThatExceptionOfType(MemoryPoolExhaustedException.class)
			.isThrownBy(() -> this.connection.memory().allocate(9 * MB))
			.withMessageContaining("rdma.memory.pool.max-size is 8388608 bytes");
		assertThat(this.connection.isOpen()).isTrue();
	}

	@Test
	void bytesOfTheApplicationAreRegisteredWhereTheyAre() {
		ByteBuffer bytes = ByteBuffer.allocateDirect(100).order(ByteOrder.LITTLE_ENDIAN).position(10).limit(50);
		try (RegisteredMemory memory = this.connection.memory()
			.register(bytes, RemoteAccess.READ, RemoteAccess.WRITE)) {
			assertThat(memory.length()).isEqualTo(40);
			assertThat(memory.remote().length()).isEqualTo(40);
			bytes.put(10, (byte) 77);
			assertThat(memory.data().get(0)).as("first byte").isEqualTo((byte) 77);
		}
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.connection.memory().register(ByteBuffer.allocate(100)))
			.withMessageContaining("direct buffer");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.connection.memory().register(ByteBuffer.allocateDirect(8).position(8)))
			.withMessageContaining("between position and limit");
	}

	@Test
	void readOnlyBytesCanBeReadByPeersAndNotWritten() {
		ByteBuffer bytes = ByteBuffer.allocateDirect(4096).asReadOnlyBuffer();
		try (RegisteredMemory memory = this.connection.memory().register(bytes, RemoteAccess.READ)) {
			assertThat(memory.remote().length()).isEqualTo(4096);
			assertThat(memory.data().isReadOnly()).isTrue();
		}
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.connection.memory().register(bytes, RemoteAccess.READ, RemoteAccess.WRITE))
			.withMessageContaining("READ alone, not for [READ, WRITE]");
	}

	@Test
	void fileIsMappedAndChangedInPlace() throws IOException {
		Path file = temporaryFile();
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
			try (RegisteredMemory memory = this.connection.memory().map(channel, 4096, 4096, RemoteAccess.WRITE)) {
				memory.data().putLong(8, 0x0102030405060708L);
			}
		}
		assertThat(ByteBuffer.wrap(Files.readAllBytes(file)).getLong(4096 + 8)).isEqualTo(0x0102030405060708L);
		Files.delete(file);
	}

	@Test
	void fileThatIsOpenForReadingIsMappedUnlessTheKernelRefusesIt() throws IOException {
		Path file = temporaryFile();
		Files.write(file, new byte[] { 1, 2, 3, 4, 5, 6, 7, 8 });
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
				RegisteredMemory memory = this.connection.memory().map(channel, 4, 4, RemoteAccess.READ)) {
			assertThat(memory.data().isReadOnly()).isTrue();
			assertThat(memory.data().getInt(0)).isEqualTo(0x05060708);
		}
		catch (RdmaException ex) {
			assertThat(ex).hasMessageContaining("needs to be open for writing before Linux 6.2");
		}
		Files.delete(file);
	}

	// In memory where possible: a kernel may refuse to register what is on a disk.
	private static Path temporaryFile() throws IOException {
		Path folder = Path.of("/dev/shm");
		return Files.isWritable(folder) ? Files.createTempFile(folder, "rdma", ".bytes")
				: Files.createTempFile("rdma", ".bytes");
	}

	@Test
	void memoryThatWasLeftOpenEndsWithTheConnection() throws Exception {
		PooledBuffer buffer = this.connection.memory().allocate(1000);
		RegisteredMemory memory = this.connection.memory().allocate(1000, RemoteAccess.READ);
		assertThat(get(this.connection.close()).result()).isEqualTo(DestroyResult.SUCCESS);
		assertThat(this.client.statistics().registeredBytes()).as("registered in use").isZero();
		assertThatIllegalStateException().isThrownBy(buffer::data);
		assertThatIllegalStateException().isThrownBy(memory::remote);
		assertThatExceptionOfType(ConnectionClosedException.class)
			.isThrownBy(() -> this.connection.memory().allocate(1));
		assertThatExceptionOfType(ConnectionClosedException.class)
			.isThrownBy(() -> this.connection.memory().allocate(1, RemoteAccess.READ));
	}

	@Test
	void bytesThatTheApplicationMayStillWriteAreNotLentToAnotherConnection() throws Exception {
		PooledBuffer buffer = this.connection.memory().allocate(1000);
		ByteBuffer bytes = buffer.data();
		long address = buffer.address();
		get(this.connection.close());
		RdmaConnection other = get(addClient("other").connect());
		for (int i = 0; i < 10; i++) {
			assertThat(other.memory().allocate(1000).address()).as("address of a buffer").isNotEqualTo(address);
		}
		bytes.put((byte) 1);
	}

}
