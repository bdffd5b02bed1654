package io.github.rdmaboot.endpoint;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.github.rdmaboot.cm.EventChannel;
import io.github.rdmaboot.cm.OwnedCmId;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.endpoint.destroy.StepReport;
import io.github.rdmaboot.provider.PortSpace;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;

/**
 * The starter's half of {@code .ci/benchmark/shutdown}: takes the commands of its C half,
 * {@code shutdown.c}, one a line from standard input, so that one JVM serves all runs
 * between those of the C program, and answers each with a line of figures.
 */
public final class ShutdownBenchmark {

	private static final String ADDRESS = "192.0.2.1";

	private static final int LIMIT_SECONDS = 600;

	private static final Duration LIMIT = Duration.ofSeconds(LIMIT_SECONDS);

	private static final QueuePairSettings QUEUE_PAIR = new QueuePairSettings(2, 2, 1, 1, 0);

	private static final MemorySettings MEMORY = new MemorySettings(64, 2);

	private final BufferedReader commands;

	private final PrintStream answers;

	private final Contexts contexts;

	private ShutdownBenchmark(BufferedReader commands, PrintStream answers, Contexts contexts) {
		this.commands = commands;
		this.answers = answers;
		this.contexts = contexts;
	}

	/**
	 * Serve commands until the input ends.
	 * @param contexts starts the contexts whose close is measured
	 * @throws Exception if a run fails
	 */
	public static void serve(Contexts contexts) throws Exception {
		PrintStream answers = System.out;
		// The log goes to the console, which must not come between the answers.
		System.setOut(System.err);
		new ShutdownBenchmark(new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)), answers,
				contexts)
			.serve();
	}

	private void serve() throws Exception {
		for (String line = this.commands.readLine(); line != null; line = this.commands.readLine()) {
			String[] words = line.split(" ");
			boolean counted = words[words.length - 1].equals("counted");
			switch (words[0]) {
				case "self" -> self(Integer.parseInt(words[1]), counted);
				case "silent" -> silent(Integer.parseInt(words[1]), Integer.parseInt(words[2]),
						Duration.ofMillis(Integer.parseInt(words[3])));
				case "serve" -> serve(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
				case "idle" -> idle(Integer.parseInt(words[1]), counted);
				default -> throw new IllegalArgumentException("Unknown command '" + line + "'");
			}
		}
	}

	private void self(int connections, boolean counted) throws Exception {
		CountingProvider counting = CountingProvider.around(JnaRdmaProvider.open());
		RdmaProvider provider = counted ? counting.proxy() : JnaRdmaProvider.open();
		RdmaEndpoints endpoints = new RdmaEndpoints(() -> provider, ShutdownSettings.defaults(), null);
		CountDownLatch established = new CountDownLatch(2 * connections);
		countDown(endpoints, established);
		RdmaServer server = endpoints.addServer(server(0));
		endpoints.start();
		for (int i = 0; i < connections; i++) {
			endpoints.addClient(client("client-" + i, server.port())).start();
		}
		await(established, 2 * connections);
		counting.reset();
		long begin = System.nanoTime();
		List<DestroyReport> reports = endpoints.destroyAll(DestroyTrigger.SHUTDOWN);
		long took = System.nanoTime() - begin;
		requireSuccess(reports, 2 * connections);
		answer(took, counting.counts());
		describeSteps(reports);
	}

	private void silent(int connections, int port, Duration grace) throws Exception {
		RdmaProvider provider = JnaRdmaProvider.open();
		ShutdownSettings defaults = ShutdownSettings.defaults();
		RdmaEndpoints endpoints = new RdmaEndpoints(() -> provider,
				new ShutdownSettings(defaults.timeout(), grace, defaults.drainTimeout(), defaults.destroyTimeout()),
				null);
		CountDownLatch established = new CountDownLatch(connections);
		countDown(endpoints, established);
		endpoints.start();
		for (int i = 0; i < connections; i++) {
			endpoints.addClient(client("client-" + i, port)).start();
		}
		await(established, connections);
		this.answers.println("established");
		this.commands.readLine();
		long begin = System.nanoTime();
		List<DestroyReport> reports = endpoints.destroyAll(DestroyTrigger.SHUTDOWN);
		long took = System.nanoTime() - begin;
		requireSuccess(reports, connections);
		answer(took, Map.of());
	}

	// The close of an application context, with meters, events and what the actuator
	// shows.
	private void serve(int connections, int port) throws Exception {
		List<DestroyReport> reports = new CopyOnWriteArrayList<>();
		CountDownLatch established = new CountDownLatch(connections);
		Runnable close = this.contexts.start(server(port), countDown(established), reports::add);
		this.answers.println("listening");
		await(established, connections);
		this.answers.println("established");
		this.commands.readLine();
		long begin = System.nanoTime();
		close.run();
		long took = System.nanoTime() - begin;
		requireSuccess(reports, connections);
		answer(took, Map.of());
	}

	private void idle(int count, boolean counted) {
		CountingProvider counting = CountingProvider.around(JnaRdmaProvider.open());
		RdmaProvider provider = counted ? counting.proxy() : JnaRdmaProvider.open();
		EventChannel channel = EventChannel.open(provider, "benchmark", (orphan) -> {
			throw new IllegalStateException("Nobody connects");
		});
		List<OwnedCmId> ids = new ArrayList<>(count);
		counting.reset();
		long begin = System.nanoTime();
		for (int i = 0; i < count; i++) {
			OwnedCmId id = new OwnedCmId("idle");
			id.create(channel, PortSpace.TCP, (owner, event) -> {
			});
			ids.add(id);
		}
		long created = System.nanoTime();
		ids.forEach(OwnedCmId::destroy);
		long destroyed = System.nanoTime();
		Map<String, Long> calls = counting.counts();
		channel.close(LIMIT);
		this.answers.print(TimeUnit.NANOSECONDS.toMicros(created - begin) + " ");
		answer(destroyed - created, calls);
	}

	private static ServerSettings server(int port) {
		return new ServerSettings("server", ADDRESS, port, 0, QUEUE_PAIR, TestSettings.CONNECTION, MEMORY,
				CompletionSettings.defaults());
	}

	private static ClientSettings client(String name, int port) {
		return new ClientSettings(name, ADDRESS, port, null, LIMIT, LIMIT, ClientStartup.BACKGROUND,
				TestSettings.NO_RECONNECT, QUEUE_PAIR, TestSettings.CONNECTION, MEMORY, CompletionSettings.defaults());
	}

	private static void countDown(RdmaEndpoints endpoints, CountDownLatch established) {
		endpoints.addConnectListener(countDown(established));
	}

	private static ConnectListener countDown(CountDownLatch established) {
		return (endpoint, took, error) -> {
			if (error == null) {
				established.countDown();
			}
		};
	}

	private static void await(CountDownLatch established, int expected) throws InterruptedException {
		if (!established.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
			throw new IllegalStateException(
					(expected - established.getCount()) + " of " + expected + " connections were established");
		}
	}

	private static void requireSuccess(List<DestroyReport> reports, int connections) {
		int destroyed = 0;
		for (DestroyReport report : reports) {
			if (report.result() != DestroyResult.SUCCESS) {
				throw new IllegalStateException("The destroy did not succeed: " + report.toLine());
			}
			destroyed += report.connections();
		}
		if (destroyed != connections) {
			throw new IllegalStateException(destroyed + " connections were destroyed and not " + connections);
		}
	}

	private void answer(long nanos, Map<String, Long> calls) {
		long total = calls.values().stream().mapToLong(Long::longValue).sum();
		this.answers.println(TimeUnit.NANOSECONDS.toMicros(nanos) + " " + total + " "
				+ calls.entrySet()
					.stream()
					.map((entry) -> entry.getKey() + "=" + entry.getValue())
					.collect(Collectors.joining(",")));
	}

	private static void describeSteps(List<DestroyReport> reports) {
		Map<String, Long> steps = reports.stream()
			.flatMap((report) -> report.steps().stream())
			.collect(Collectors.groupingBy((step) -> step.step().tag(), Collectors
				.summingLong((StepReport step) -> TimeUnit.NANOSECONDS.toMicros(step.duration().toNanos()))));
		System.err.println("Sum of each step in us: " + steps);
	}

	/**
	 * Starts an application context with one server.
	 */
	@FunctionalInterface
	public interface Contexts {

		/**
		 * Start a context.
		 * @param server the settings of its server
		 * @param connected told of each connection
		 * @param destroyed told of each report
		 * @return closes the context
		 */
		Runnable start(ServerSettings server, ConnectListener connected, Consumer<DestroyReport> destroyed);

	}

}
