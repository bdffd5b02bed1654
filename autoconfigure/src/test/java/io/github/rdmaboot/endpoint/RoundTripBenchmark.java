package io.github.rdmaboot.endpoint;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;
import io.github.rdmaboot.verbs.CompletionMode;
import org.jspecify.annotations.Nullable;

/**
 * The starter's half of {@code .ci/benchmark/round-trip}: a server for its clients, or a
 * client that takes commands, one a line from standard input, and answers each with the
 * microseconds that it took. It makes the calls of its C half, {@code round-trip.c}.
 */
public final class RoundTripBenchmark {

	private static final String ADDRESS = "192.0.2.1";

	private static final int BUFFER_SIZE = 4096;

	private static final int LIST = 16;

	private static final int LISTS_IN_FLIGHT = 4;

	private static final QueuePairSettings QUEUE_PAIR = new QueuePairSettings(LIST * LISTS_IN_FLIGHT, LIST, 1, 1, 0);

	private static final MemorySettings MEMORY = new MemorySettings(BUFFER_SIZE, LIST);

	private static final Duration LIMIT = Duration.ofSeconds(60);

	private final int port;

	private final CompletionSettings completion;

	private RoundTripBenchmark(int port, CompletionMode mode) {
		this.port = port;
		this.completion = CompletionSettings.of(mode, HandlerThread.COMPLETION_THREAD);
	}

	/**
	 * Run a server until standard input ends, or a client as long as commands come.
	 * @param arguments {@code server} or {@code client}, the port, {@code event} or
	 * {@code poll}
	 * @throws Exception if a run fails
	 */
	public static void main(String[] arguments) throws Exception {
		PrintStream answers = System.out;
		// The log goes to the console, which must not come between the answers.
		System.setOut(System.err);
		BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		RoundTripBenchmark benchmark = new RoundTripBenchmark(Integer.parseInt(arguments[1]),
				CompletionMode.valueOf(arguments[2].toUpperCase(Locale.ROOT)));
		if (arguments[0].equals("server")) {
			benchmark.serve(commands, answers);
			return;
		}
		for (String line = commands.readLine(); line != null; line = commands.readLine()) {
			answers.println(benchmark.measure(line.split(" ")));
		}
	}

	private void serve(BufferedReader commands, PrintStream answers) throws Exception {
		try (RdmaEndpoints endpoints = endpoints()) {
			RdmaServer server = endpoints.addServer(new ServerSettings("server", ADDRESS, this.port, 0, QUEUE_PAIR,
					TestSettings.CONNECTION, MEMORY, this.completion));
			server.onMessage((connection, message) -> connection.send(message, new FailureOnly()));
			server.onConnection((connection) -> {
				RegisteredMemory memory = connection.memory().allocate(LIST * BUFFER_SIZE, RemoteAccess.WRITE);
				ByteBuffer hello = ByteBuffer.allocate(RemoteMemory.ENCODED_LENGTH);
				memory.remote().writeTo(hello);
				connection.send(hello.flip(), new FailureOnly());
			});
			endpoints.start();
			answers.println("listening");
			commands.readLine();
		}
	}

	private long measure(String[] command) throws Exception {
		boolean stream = command[0].equals("stream");
		int warmUp = Integer.parseInt(command[1]);
		int count = Integer.parseInt(command[2]);
		RdmaEndpoints endpoints = endpoints();
		RdmaClient client = endpoints
			.addClient(new ClientSettings("client", ADDRESS, this.port, null, LIMIT, LIMIT, ClientStartup.LAZY,
					TestSettings.NO_RECONNECT, QUEUE_PAIR, TestSettings.CONNECTION, MEMORY, this.completion));
		endpoints.start();
		RdmaConnection connection = client.connect().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
		byte[] hello = connection.receive().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
		Runnable warmUpRun;
		Runnable run;
		if (stream) {
			RemoteMemory remote = RemoteMemory.readFrom(ByteBuffer.wrap(hello));
			WorkBatch batch = batch(connection, remote);
			warmUpRun = new Stream(batch, warmUp);
			run = new Stream(batch, count);
		}
		else {
			int size = Integer.parseInt(command[3]);
			warmUpRun = new Ping(client, connection, warmUp, size);
			run = new Ping(client, connection, count, size);
		}
		warmUpRun.run();
		long begin = System.nanoTime();
		run.run();
		long took = System.nanoTime() - begin;
		requireSuccess(endpoints.destroyAll(DestroyTrigger.SHUTDOWN));
		endpoints.close();
		return TimeUnit.NANOSECONDS.toMicros(took);
	}

	private static RdmaEndpoints endpoints() {
		return new RdmaEndpoints(JnaRdmaProvider::open, ShutdownSettings.defaults(), null);
	}

	private static WorkBatch batch(RdmaConnection connection, RemoteMemory remote) {
		PooledBuffer local = connection.memory().allocate(LIST * BUFFER_SIZE);
		WorkBatch batch = connection.operations().batch(LIST);
		for (int i = 0; i < LIST; i++) {
			batch.write(local, (long) i * BUFFER_SIZE, remote, (long) i * BUFFER_SIZE, BUFFER_SIZE);
		}
		return batch;
	}

	private static void requireSuccess(List<DestroyReport> reports) {
		for (DestroyReport report : reports) {
			if (report.result() != DestroyResult.SUCCESS) {
				throw new IllegalStateException("The destroy did not succeed: " + report.toLine());
			}
		}
	}

	private static void await(CountDownLatch done, Exchange exchange) {
		try {
			if (!done.await(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
				throw new IllegalStateException("Only " + exchange.count() + " were done within " + LIMIT);
			}
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Something that is done a number of times.
	 */
	private interface Exchange {

		int count();

	}

	/**
	 * Messages there and back, the next one sent when the last one is back.
	 */
	private static final class Ping implements Runnable, Exchange {

		private final RdmaClient client;

		private final RdmaConnection connection;

		private final int rounds;

		private final ByteBuffer message;

		private final SendCallback sent = new FailureOnly();

		private final CountDownLatch done = new CountDownLatch(1);

		private volatile int received;

		private Ping(RdmaClient client, RdmaConnection connection, int rounds, int size) {
			this.client = client;
			this.connection = connection;
			this.rounds = rounds;
			this.message = ByteBuffer.allocateDirect(size);
		}

		@Override
		public void run() {
			this.client.onMessage((connection, message) -> received());
			send();
			await(this.done, this);
		}

		@Override
		public int count() {
			return this.received;
		}

		private void received() {
			// Handlers of a connection run one at a time.
			int received = this.received + 1;
			this.received = received;
			if (received < this.rounds) {
				send();
			}
			else {
				this.done.countDown();
			}
		}

		private void send() {
			this.message.clear();
			this.connection.send(this.message, this.sent);
		}

	}

	/**
	 * Lists of writes, the next one posted when one is done.
	 */
	private static final class Stream implements Runnable, Exchange, OperationCallback {

		private final WorkBatch batch;

		private final CountDownLatch done;

		private int left;

		private Stream(WorkBatch batch, int batches) {
			this.batch = batch;
			this.done = new CountDownLatch(batches);
			this.left = batches;
		}

		@Override
		public void run() {
			for (int i = 0; i < LISTS_IN_FLIGHT; i++) {
				postNext();
			}
			await(this.done, this);
		}

		@Override
		public int count() {
			return (int) this.done.getCount();
		}

		@Override
		public void completed(long result, @Nullable RuntimeException error) {
			if (error != null) {
				throw error;
			}
			postNext();
			this.done.countDown();
		}

		// The batch belongs to one thread at a time.
		private synchronized void postNext() {
			if (this.left > 0) {
				this.left--;
				this.batch.post(this);
			}
		}

	}

	/**
	 * Reports sends that fail.
	 */
	private static final class FailureOnly implements SendCallback {

		@Override
		public void sent(@Nullable RuntimeException error) {
			if (error != null && !(error instanceof ConnectionClosedException)) {
				throw error;
			}
		}

	}

}
