package io.github.rdmaboot.endpoint;

import java.io.BufferedReader;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.endpoint.OperationFailureContract.Access;
import io.github.rdmaboot.endpoint.OperationFailureContract.Mistake;
import io.github.rdmaboot.provider.CompletionStatus;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;
import io.github.rdmaboot.provider.jna.KernelObjects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * Reads, writes and atomics on the memory of another process, {@link MemoryOwner}, and
 * what both processes see of those that it does not permit.
 */
@Timeout(value = 240, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NativeTwoProcessesIT {

	private static final String ADDRESS = "192.0.2.1";

	private static final int PORT = 7498;

	private static final Duration PATIENCE = Duration.ofSeconds(120);

	private final List<RdmaEndpoints> registries = new ArrayList<>();

	private final Queue<String> printed = new ConcurrentLinkedQueue<>();

	private String before = "";

	private Process owner;

	@BeforeAll
	void startOwner() throws Exception {
		this.before = KernelObjects.counts();
		List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
		// With this JVM's options, among them the class-data archive.
		command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
		command.addAll(List.of("-cp", System.getProperty("java.class.path"), MemoryOwner.class.getName(), ADDRESS,
				String.valueOf(PORT)));
		this.owner = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
		BufferedReader output = this.owner.inputReader(StandardCharsets.UTF_8);
		Thread reader = new Thread(() -> output.lines().forEach(this.printed::add), "memory-owner-output");
		reader.setDaemon(true);
		reader.start();
		await().atMost(PATIENCE).until(() -> this.printed.contains("listening"));
	}

	@AfterEach
	void disconnect() {
		this.registries.forEach(RdmaEndpoints::close);
		this.registries.clear();
	}

	@AfterAll
	void bothProcessesLeaveNothing() throws Exception {
		try {
			this.owner.getOutputStream().close();
			assertThat(this.owner.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as("the owner ends").isTrue();
			assertThat(this.owner.exitValue()).as("exit status of the owner, which printed %s", this.printed).isZero();
		}
		finally {
			this.owner.destroyForcibly();
		}
		assertThat(KernelObjects.counts()).isEqualTo(this.before);
	}

	@Test
	void readsWritesAndAtomicsReachTheMemoryOfTheOtherProcess() throws Exception {
		RdmaConnection connection = connect();
		RemoteMemory remote = ask(connection, "ALL " + MemoryOwner.NO_MISTAKE);
		PooledBuffer local = connection.memory().allocate(MemoryOwner.SIZE);
		BlockingRdmaOperations operations = connection.blocking(PATIENCE);
		for (int i = 0; i < MemoryOwner.SIZE; i++) {
			local.data().put(i, (byte) (31 * i));
		}
		local.data().order(ByteOrder.nativeOrder()).putLong(0, 40);
		operations.write(local, 0, remote, 0, MemoryOwner.SIZE);
		assertThat(operations.fetchAndAdd(remote, 0, 2)).as("the counter before the addition").isEqualTo(40);
		assertThat(operations.compareAndSwap(remote, 0, 40, 7)).as("the counter, which is not 40").isEqualTo(42);
		assertThat(operations.compareAndSwap(remote, 0, 42, 43)).as("the counter, which is 42").isEqualTo(42);

		connection.send(ByteBuffer.allocate(1));
		byte[] atOwner = receive(connection);
		PooledBuffer read = connection.memory().allocate(MemoryOwner.SIZE);
		operations.read(read, 0, remote, 0, MemoryOwner.SIZE);

		assertThat(ByteBuffer.wrap(atOwner).order(ByteOrder.nativeOrder()).getLong(0)).as("the counter at its owner")
			.isEqualTo(43);
		assertThat(ByteBuffer.wrap(atOwner, Long.BYTES, MemoryOwner.SIZE - Long.BYTES))
			.as("what was written, as its owner sees it")
			.isEqualTo(local.data().slice(Long.BYTES, MemoryOwner.SIZE - Long.BYTES));
		assertThat(ByteBuffer.wrap(atOwner)).as("what was read").isEqualTo(read.data().slice(0, MemoryOwner.SIZE));
	}

	@ParameterizedTest
	@EnumSource
	void accessThatTheOtherProcessDoesNotPermitEndsTheConnectionInBothAndNoOther(Access access) throws Exception {
		RdmaConnection other = connect();
		String good = "beside-" + access + " " + MemoryOwner.NO_MISTAKE;
		RemoteMemory otherMemory = ask(other, good);
		PooledBuffer otherLocal = other.memory().allocate(64);
		for (Mistake mistake : Mistake.values()) {
			RdmaConnection victim = connect();
			String wanted = access + " " + mistake;
			RemoteMemory remote = ask(victim, wanted);
			PooledBuffer local = victim.memory().allocate(MemoryOwner.SIZE);
			OperationFuture operation = access.begin(victim.operations(), local, remote);

			RdmaOperationException error = (RdmaOperationException) catchThrowableOfType(ExecutionException.class,
					() -> operation.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
				.getCause();

			assertThat(error.status()).as("%s: %s", wanted, error.getMessage())
				.isEqualTo(CompletionStatus.REM_ACCESS_ERR);
			await().atMost(PATIENCE).until(() -> !victim.isOpen());
			await().atMost(PATIENCE)
				.untilAsserted(() -> assertThat(this.printed).as("how the owner's connection for %s ended", wanted)
					.contains("ended: " + wanted + ": ConnectionClosedException"));
			other.blocking(PATIENCE).write(otherLocal, 0, otherMemory, 0, 64);
		}
		assertThat(other.isOpen()).as("the connection without a mistake").isTrue();
		assertThat(this.printed).as("what the owner printed").noneMatch((line) -> line.contains(good));
	}

	private RdmaConnection connect() throws Exception {
		RdmaEndpoints registry = CheckedEndpoints.create(JnaRdmaProvider::open, ShutdownSettings.defaults(), null);
		this.registries.add(registry);
		RdmaClient client = registry.addClient(new ClientSettings("worker", ADDRESS, PORT, null, PATIENCE, PATIENCE,
				ClientStartup.BACKGROUND, TestSettings.NO_RECONNECT, ConnectedPair.QUEUE_PAIR, ConnectedPair.CONNECTION,
				ConnectedPair.MEMORY, CompletionSettings.defaults()));
		registry.start();
		return client.connect().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
	}

	private static RemoteMemory ask(RdmaConnection connection, String wanted) throws Exception {
		connection.send(ByteBuffer.wrap(wanted.getBytes(StandardCharsets.US_ASCII)));
		return RemoteMemory.readFrom(ByteBuffer.wrap(receive(connection)));
	}

	private static byte[] receive(RdmaConnection connection) throws Exception {
		return connection.receive().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
	}

}
