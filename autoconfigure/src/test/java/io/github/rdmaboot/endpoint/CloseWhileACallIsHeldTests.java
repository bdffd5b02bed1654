package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.FaultingProvider.Fault;
import io.github.rdmaboot.provider.FaultingProvider.Kind;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Holds each call of bring-up, one at a time, and closes while it is held: the close ends
 * in time, says which call is stuck and tells whoever waits; when the call returns late,
 * all is freed. Many cases run at once, each on a network of its own, for they wait most
 * of their time.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CloseWhileACallIsHeldTests {

	private static final String ADDRESS = "192.0.2.1";

	private static final String GROUP = "239.1.2.3";

	private static final Duration CALL_LIMIT = Duration.ofMillis(500);

	private static final ShutdownSettings LIMITS = new ShutdownSettings(Duration.ofSeconds(3), Duration.ofMillis(100),
			Duration.ofMillis(100), CALL_LIMIT);

	/** What the limits may be exceeded by on a busy machine. */
	private static final Duration SLACK = Duration.ofSeconds(4);

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final int AT_ONCE = 24;

	/** How many calls of a method are held at most, one at a time. */
	private static final int CALLS = 2;

	private static final List<String> OF_CONNECTIONS = List.of("rdmaCreateId", "rdmaBindAddr", "rdmaListen",
			"rdmaResolveAddr", "rdmaResolveRoute", "ibvAllocPd", "ibvQueryPort", "ibvCreateCompChannel", "ibvCreateCq",
			"ibvRegMr", "rdmaCreateQp", "ibvPostRecv", "rdmaConnect", "rdmaAccept");

	private static final List<String> OF_DATAGRAMS = List.of("rdmaBindAddr", "rdmaListen", "ibvQueryPort",
			"ibvCreateCq", "rdmaCreateQp", "ibvQueryQp", "rdmaJoinMulticast", "rdmaResolveAddr", "rdmaResolveRoute",
			"rdmaConnect", "rdmaAccept", "rdmaLeaveMulticast");

	@TestFactory
	Stream<DynamicTest> theCloseEndsInTimeNamesTheCallAndAllIsFreedWhenItReturns() throws Exception {
		List<Throwable> escaped = new CopyOnWriteArrayList<>();
		Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
		Thread.setDefaultUncaughtExceptionHandler((thread, ex) -> escaped.add(ex));
		try {
			Map<String, Future<?>> runs = run();
			for (Future<?> run : runs.values()) {
				await().atMost(PATIENCE).until(run::isDone);
			}
			List<DynamicTest> tests = new ArrayList<>();
			runs.forEach((name, run) -> tests.add(DynamicTest.dynamicTest(name, () -> outcome(run))));
			tests.add(DynamicTest.dynamicTest("no exception escaped", () -> assertThat(escaped).isEmpty()));
			return tests.stream();
		}
		finally {
			Thread.setDefaultUncaughtExceptionHandler(before);
		}
	}

	private static Map<String, Future<?>> run() throws Exception {
		List<Case> cases = new ArrayList<>();
		for (Closing closing : Closing.values()) {
			cases.addAll(cases(false, OF_CONNECTIONS, closing));
			cases.addAll(cases(true, OF_DATAGRAMS, closing));
		}
		System.out.printf("Holding %d calls%n", cases.size());
		ExecutorService executor = Executors.newFixedThreadPool(AT_ONCE);
		Map<String, Future<?>> runs = new LinkedHashMap<>();
		cases.forEach((each) -> runs.put(each.toString(), executor.submit(() -> {
			new Run(each).check();
			return null;
		})));
		executor.shutdown();
		return runs;
	}

	private static List<Case> cases(boolean datagrams, List<String> methods, Closing closing) throws Exception {
		Run run = new Run(new Case(datagrams, Fault.NONE, closing));
		run.use();
		Map<String, Integer> counts = new HashMap<>();
		run.faulting.counts().forEach((method, count) -> counts.put(method, count.get()));
		run.registry.close();
		List<Case> cases = new ArrayList<>();
		for (String method : methods) {
			int calls = counts.getOrDefault(method, 0);
			assertThat(calls).as("calls of %s", method).isPositive();
			for (int number = 1; number <= Math.min(calls, CALLS); number++) {
				cases.add(new Case(datagrams, new Fault(method, number, Kind.BLOCK, 0), closing));
			}
		}
		return cases;
	}

	private static void outcome(Future<?> run) throws Throwable {
		try {
			run.get();
		}
		catch (ExecutionException ex) {
			throw ex.getCause();
		}
	}

	/**
	 * How endpoints are closed.
	 */
	private enum Closing {

		CLOSE, PAUSE, DESTROY;

		private void close(RdmaEndpoints registry) {
			switch (this) {
				case CLOSE -> registry.close();
				case PAUSE -> registry.destroyAll(DestroyTrigger.RESTART);
				case DESTROY -> registry.endpoints().forEach(RdmaEndpoint::destroy);
			}
		}

	}

	private record Case(boolean datagrams, Fault fault, Closing closing) {

		// The C function that is held.
		private String function() {
			return this.fault.method().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
		}

		@Override
		public String toString() {
			return (this.datagrams ? "datagrams" : "connection") + ", " + this.fault.method() + " #"
					+ this.fault.number() + ", " + this.closing;
		}

	}

	/**
	 * Endpoints that are started, used and closed.
	 */
	private static final class Run {

		private final Case scenario;

		private final CallOrder order = new CallOrder();

		private final FaultingProvider faulting = FaultingProvider
			.of(new LoopbackRdmaProvider(LoopbackFabrics.with(ADDRESS)), this.order);

		private final RdmaEndpoints registry = TestSettings.registry(this.faulting::provider, LIMITS, null);

		private final List<DestroyReport> reports = new CopyOnWriteArrayList<>();

		private final Callable<?> use;

		private Run(Case scenario) {
			this.scenario = scenario;
			this.registry.addDestroyListener(this.reports::add);
			this.faulting.inject(scenario.fault());
			this.use = scenario.datagrams() ? datagrams() : connection();
		}

		private Callable<?> connection() {
			this.registry.addServer(TestSettings.server("server", ADDRESS, 4711));
			RdmaClient client = this.registry.addClient(TestSettings.client("client", ADDRESS, 4711, ClientStartup.LAZY,
					TestSettings.NO_RECONNECT, Duration.ofSeconds(20)));
			return () -> client.connection().send(ByteBuffer.wrap(new byte[] { 1 })).get(20, TimeUnit.SECONDS);
		}

		private Callable<?> datagrams() {
			this.registry.addDatagrams(settings("asked", 4711));
			RdmaDatagramEndpoint asker = this.registry.addDatagrams(settings("asker", null));
			return () -> {
				asker.resolve(ADDRESS, 4711).get(20, TimeUnit.SECONDS);
				return asker.leave(TestSettings.literal(GROUP));
			};
		}

		private static DatagramSettings settings(String name, Integer port) {
			return new DatagramSettings(name, ADDRESS, port, 16, Duration.ofSeconds(20), Duration.ofSeconds(20),
					List.of(TestSettings.literal(GROUP)), 16, 64, null, CompletionSettings.defaults(),
					TestSettings.RECONNECT);
		}

		private void use() throws Exception {
			this.registry.start();
			this.use.call();
		}

		private void check() throws Exception {
			CompletableFuture<Exception> used = new CompletableFuture<>();
			Thread user = new Thread(() -> {
				try {
					use();
					used.complete(null);
				}
				catch (Exception ex) {
					used.complete(ex);
				}
			}, "user of " + this.scenario);
			user.setDaemon(true);
			user.start();
			await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(this.faulting::isInjected);
			try {
				long begin = System.nanoTime();
				this.scenario.closing().close(this.registry);
				assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(LIMITS.timeout().plus(SLACK));
				assertThat(used).as("what the user sees").succeedsWithin(SLACK);
				await().atMost(PATIENCE)
					.untilAsserted(() -> assertThat(this.reports)
						.anySatisfy((report) -> assertThat(report.toLine()).contains(this.scenario.function())));
				assertThat(this.order.left()).isNotEmpty();
			}
			finally {
				this.faulting.release();
			}
			await().atMost(PATIENCE).until(() -> stuckCalls().isEmpty());
			if (this.scenario.closing() == Closing.PAUSE) {
				use();
			}
			this.registry.close();
			await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.order.left()).isEmpty());
			assertThat(this.order.violations()).isEmpty();
		}

		private List<StuckCall> stuckCalls() {
			return this.registry.endpoints().stream().flatMap((endpoint) -> endpoint.stuckCalls().stream()).toList();
		}

	}

}
