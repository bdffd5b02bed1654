package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import io.github.rdmaboot.provider.loopback.StubProvider;
import io.github.rdmaboot.verbs.CompletionMode;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * Operations of a connection, one after the other: each ends when its callback was called
 * and, if it is a message, when the peer's handler had it too.
 */
@State(Scope.Benchmark)
public class AllocationBenchmark {

	private static final String ADDRESS = "192.0.2.1";

	private static final int LENGTH = 64;

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final QueuePairSettings QUEUE_PAIR = new QueuePairSettings(16, 16, 4, 1, LENGTH);

	private static final ConnectionSettings CONNECTION = new ConnectionSettings(4, 4, 6, 7, new byte[0], null, null);

	private static final CompletionSettings COMPLETION = CompletionSettings.of(CompletionMode.POLL,
			HandlerThread.COMPLETION_THREAD);

	/** What the connection is of. */
	@Param({ "loopback", "stub" })
	public String provider;

	/** Whether messages take credits of the peer. */
	@Param({ "NONE", "CREDITS" })
	public FlowControl flowControl;

	private final Outcome outcome = new Outcome();

	private final SendCallback sent = (error) -> this.outcome.completed(0, error);

	private final ByteBuffer message = ByteBuffer.allocate(LENGTH);

	private RdmaConnection connection;

	private RegisteredMemory local;

	private RemoteMemory remote;

	private WorkBatch batch;

	/** Written by the one thread that receives. */
	private volatile long received;

	private long expected;

	/**
	 * Connect two endpoints of this process. They end with it: what their destroy
	 * allocates would count as that of the operations.
	 * @throws Exception if that fails
	 */
	@Setup
	public void connect() throws Exception {
		LoopbackFabric fabric = new LoopbackFabric();
		fabric.addAddress(InetAddress.getByName(ADDRESS));
		RdmaEndpoints serverSide = registry(fabric);
		RdmaEndpoints clientSide = registry(fabric);
		MemorySettings memory = new MemorySettings(4096, 8,
				new MessageSettings(OversizedMessages.REJECT, 4096, this.flowControl));
		RdmaServer server = serverSide
			.addServer(new ServerSettings("server", ADDRESS, 0, 16, QUEUE_PAIR, CONNECTION, memory, COMPLETION));
		server.onMessage((connection, message) -> this.received += message.get(0));
		serverSide.start();
		RdmaClient client = clientSide.addClient(new ClientSettings("client", ADDRESS, server.port(), null,
				PATIENCE, PATIENCE, ClientStartup.BACKGROUND, ReconnectSettings.defaults(), QUEUE_PAIR, CONNECTION,
				memory, COMPLETION));
		clientSide.start();
		this.connection = client.connect().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		while (server.connections().isEmpty() || !server.connections().iterator().next().isOpen()) {
			LockSupport.parkNanos(1_000_000);
		}
		this.remote = server.connections()
			.iterator()
			.next()
			.memory()
			.allocate(4096, RemoteAccess.READ, RemoteAccess.WRITE, RemoteAccess.ATOMIC)
			.remote();
		this.local = this.connection.memory().allocate(4096, RemoteAccess.READ);
		this.local.data().put(0, (byte) 1);
		this.message.put(0, (byte) 1);
		this.batch = this.connection.operations()
			.batch(4)
			.write(this.local, 0, this.remote, 0, LENGTH)
			.write(this.local, LENGTH, this.remote, LENGTH, LENGTH)
			.read(this.local, 2 * LENGTH, this.remote, 0, LENGTH)
			.fetchAndAdd(this.remote, 512, 1);
	}

	private RdmaEndpoints registry(LoopbackFabric fabric) {
		Supplier<RdmaProvider> providers = switch (this.provider) {
			case "loopback" -> () -> new LoopbackRdmaProvider(fabric);
			case "stub" -> () -> new StubProvider(fabric);
			default -> throw new IllegalArgumentException(this.provider);
		};
		return new RdmaEndpoints(providers, ShutdownSettings.defaults(), null);
	}

	/**
	 * Send a message from registered memory and wait until it was received.
	 */
	@Benchmark
	public void send() {
		this.outcome.expect();
		this.connection.operations().send(this.local, 0, LENGTH, this.outcome);
		awaitMessage();
	}

	/**
	 * Send a message whose bytes are copied and wait until it was received.
	 */
	@Benchmark
	public void message() {
		this.outcome.expect();
		this.connection.send(this.message.clear(), this.sent);
		awaitMessage();
	}

	private void awaitMessage() {
		this.outcome.await();
		this.expected++;
		while (this.received < this.expected) {
			Thread.yield();
		}
	}

	/**
	 * Read memory of the peer.
	 */
	@Benchmark
	public void read() {
		this.outcome.expect();
		this.connection.operations().read(this.local, 0, this.remote, 0, LENGTH, this.outcome);
		this.outcome.await();
	}

	/**
	 * Write to memory of the peer.
	 */
	@Benchmark
	public void write() {
		this.outcome.expect();
		this.connection.operations().write(this.local, 0, this.remote, 0, LENGTH, this.outcome);
		this.outcome.await();
	}

	/**
	 * Add to memory of the peer.
	 */
	@Benchmark
	public void fetchAndAdd() {
		this.outcome.expect();
		this.connection.operations().fetchAndAdd(this.remote, 512, 1, this.outcome);
		this.outcome.await();
	}

	/**
	 * Post two writes, a read and an addition as one list.
	 */
	@Benchmark
	public void batch() {
		this.outcome.expect();
		this.batch.post(this.outcome);
		this.outcome.await();
	}

	/**
	 * Callback that is used again and again.
	 */
	private static final class Outcome implements OperationCallback {

		private RuntimeException error;

		private volatile boolean told;

		@Override
		public void completed(long result, RuntimeException error) {
			this.error = error;
			this.told = true;
		}

		private void expect() {
			this.told = false;
		}

		private void await() {
			while (!this.told) {
				Thread.yield();
			}
			if (this.error != null) {
				throw this.error;
			}
		}

	}

}
