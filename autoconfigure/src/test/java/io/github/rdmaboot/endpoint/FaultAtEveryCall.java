package io.github.rdmaboot.endpoint;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.endpoint.destroy.StepOutcome;
import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.FaultingProvider.Fault;
import io.github.rdmaboot.provider.FaultingProvider.Kind;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Makes calls of bring-up and teardown fail with each errno that they are known for,
 * throw an error, block, and return late, one at a time: each call whose fault a report
 * names, and of any other method, {@link #PURE_READS} apart, the first
 * {@value #MAX_NUMBER} calls.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class FaultAtEveryCall {

	/** How long what meets no fault may take while classes are loaded. */
	private static final int PATIENCE_MILLIS = 20_000;

	/**
	 * How many calls of a method have a fault if no report names it: further ones are of
	 * the same kinds.
	 */
	static final int MAX_NUMBER = 4;

	/** Calls that nothing can happen to: the name of a provider is a constant. */
	private static final Set<String> PURE_READS = Set.of("name");

	private static final int WARM_UP_RUNS = 4;

	private static final Duration POLL_INTERVAL = Duration.ofMillis(5);

	/** What the limits may be exceeded by on a busy machine. */
	private static final Duration SLACK = Duration.ofSeconds(4);

	/**
	 * Return the calls with the errnos that they are known for.
	 * @return the errnos by method
	 */
	abstract Map<String, List<Errno>> errnos();

	/**
	 * Return the calls that are known: those with faults, here or in another run of the
	 * same kind.
	 * @return the methods
	 */
	Set<String> knownCalls() {
		return errnos().keySet();
	}

	/**
	 * Return whether the failure of a call keeps the user from going on.
	 * @param fault the fault
	 * @return whether the user sees its errno
	 */
	abstract boolean stopsTheUser(Fault fault);

	/**
	 * Return whether a fault of a call is part of a report.
	 * @param fault the fault
	 * @return whether a report names its errno, or the function that blocked
	 */
	abstract boolean isReported(Fault fault);

	/**
	 * Add the endpoints and return what uses them, once they can be started.
	 * @param registry the registry
	 * @return what starts the registry and uses the endpoints
	 */
	abstract Use prepare(RdmaEndpoints registry);

	/**
	 * Open a provider for one run.
	 * @return the provider
	 */
	RdmaProvider openProvider() {
		LoopbackFabric fabric = new LoopbackFabric();
		fabric.addAddress(new InetSocketAddress("192.0.2.1", 0).getAddress());
		return new LoopbackRdmaProvider(fabric);
	}

	CallOrder newOrder() {
		return new CallOrder();
	}

	/**
	 * Return how many scenarios run at once; they wait most of their time.
	 * @return the number
	 */
	int runsAtOnce() {
		return 24;
	}

	/**
	 * Return the limits of the destroy. A call that blocks shall be given up soon; with
	 * any other fault none may be, also where a thread waits long for a processor.
	 * @param fault the fault; a late call takes 150 ms
	 * @return the limits
	 */
	ShutdownSettings limits(Fault fault) {
		return new ShutdownSettings(Duration.ofSeconds(3), Duration.ofMillis(150), Duration.ofMillis(150),
				(fault.kind() == Kind.BLOCK) ? Duration.ofMillis(250) : Duration.ofSeconds(2));
	}

	/**
	 * Return how long the user may take after the fault before the destroy begins.
	 * @return the time
	 */
	Duration timeOfUse() {
		return Duration.ofMillis(600);
	}

	/**
	 * Return how often a method is called without a fault.
	 * @param method the method
	 * @param counted how often it was called in one run
	 * @return the count, which must not depend on how fast that run was
	 */
	int calls(String method, int counted) {
		return counted;
	}

	/**
	 * Return how many completion queues belong to one connection.
	 * @return the number
	 */
	int queuesOfConnection() {
		return 1;
	}

	List<Fault> select(List<Fault> faults) {
		return faults;
	}

	/**
	 * Check what a run left outside of the provider's calls.
	 * @param fault the fault, {@link Fault#NONE} in the first run
	 */
	void checkLeft(Fault fault) {
	}

	private List<Fault> faults() throws Exception {
		warmUp();
		Scenario scenario = new Scenario(Fault.NONE);
		scenario.run();
		checkLeft(Fault.NONE);
		assertThat(scenario.failure).as("what the user sees without a fault").isNull();
		assertThat(scenario.order.violations()).as("order without a fault").isEmpty();
		Map<String, AtomicInteger> counts = scenario.faulting.counts();
		assertThat(counts.keySet()).as("calls, each of which has faults").isSubsetOf(withoutFaults());
		List<Fault> faults = new ArrayList<>();
		errnos().forEach((method, errnos) -> {
			int calls = calls(method, counts.getOrDefault(method, new AtomicInteger()).get());
			assertThat(calls).as("calls of %s without a fault", method).isPositive();
			int last = isReported(new Fault(method, calls, Kind.BLOCK, 0)) ? calls : Math.min(calls, MAX_NUMBER);
			for (int number = 1; number <= last; number++) {
				for (Errno errno : errnos) {
					faults.add(new Fault(method, number, Kind.FAIL, errno.value()));
				}
				faults.add(new Fault(method, number, Kind.ERROR, 0));
				faults.add(new Fault(method, number, Kind.LATE, 0));
				faults.add(new Fault(method, number, Kind.BLOCK, 0));
			}
		});
		List<Fault> selected = select(faults);
		System.out.printf("Injecting %d of %d faults%n", selected.size(), faults.size());
		return selected;
	}

	// The first calls of a JVM load classes, which may take longer than their limits.
	private void warmUp() throws Exception {
		for (int run = 0; run < WARM_UP_RUNS; run++) {
			Scenario scenario = new Scenario(Fault.NONE);
			scenario.run();
			if (scenario.failure == null) {
				return;
			}
		}
	}

	private Set<String> withoutFaults() {
		Set<String> all = new TreeSet<>(knownCalls());
		all.addAll(PURE_READS);
		return all;
	}

	@TestFactory
	Stream<DynamicTest> destroyEndsInItsBudgetAndFreesWhatItCan() throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(runsAtOnce());
		Map<Fault, Future<?>> runs = new LinkedHashMap<>();
		faults().forEach((fault) -> runs.put(fault, executor.submit(() -> {
			check(fault);
			return null;
		})));
		executor.shutdown();
		return runs.entrySet()
			.stream()
			.map((run) -> DynamicTest.dynamicTest(run.getKey().toString(), () -> outcome(run.getValue())));
	}

	private static void outcome(Future<?> run) throws Throwable {
		try {
			run.get(120, TimeUnit.SECONDS);
		}
		catch (ExecutionException ex) {
			throw ex.getCause();
		}
	}

	private void check(Fault fault) throws Exception {
		Scenario scenario = new Scenario(fault);
		try {
			scenario.run();
			assertThat(scenario.order.violations()).as("order with %s", fault).isEmpty();
			assertThat(scenario.destroyTook).as("duration of the destroy with %s", fault)
				.isLessThan(limits(fault).timeout().plus(SLACK));
			if (fault.kind() != Kind.BLOCK) {
				scenario.awaitEndOfUser();
				assertThat(scenario.order.left()).as("left behind with %s", fault).isEmpty();
				assertThat(scenario.reports).as("reports with %s", fault)
					.allSatisfy((report) -> assertThat(report.result()).isNotEqualTo(DestroyResult.TIMEOUT));
			}
			if (fault.isFailure() && stopsTheUser(fault)) {
				assertThat(scenario.failure).as("what the user sees of %s", fault)
					.hasStackTraceContaining(Errno.symbol(fault.errno()));
			}
			if (isReported(fault) && fault.kind() != Kind.LATE) {
				checkReports(scenario);
			}
			if (isReported(fault) && fault.kind() == Kind.BLOCK) {
				checkWhileBlocked(scenario);
			}
		}
		finally {
			scenario.faulting.release();
		}
		if (fault.kind() == Kind.BLOCK) {
			scenario.awaitEndOfUser();
			Awaitility.await()
				.atMost(Duration.ofMillis(PATIENCE_MILLIS))
				.pollInterval(POLL_INTERVAL)
				.untilAsserted(
						() -> assertThat(scenario.order.left()).as("left after %s was released", fault).isEmpty());
			assertThat(scenario.order.violations()).as("order after %s was released", fault).isEmpty();
		}
		checkLeft(fault);
	}

	private void checkReports(Scenario scenario) {
		Fault fault = scenario.fault;
		assertThat(scenario.faulting.isInjected()).as("whether there was %s", fault).isTrue();
		StepOutcome outcome = (fault.kind() == Kind.BLOCK) ? StepOutcome.TIMEOUT : StepOutcome.FAILURE;
		assertThat(scenario.allReports).as("steps of the reports with %s", fault)
			.flatExtracting(DestroyReport::steps)
			.anySatisfy((step) -> {
				assertThat(step.outcome()).isEqualTo(outcome);
				assertThat(step.call()).isEqualTo(fault.function());
				assertThat(step.errno()).isEqualTo(fault.errno());
			});
	}

	private void checkWhileBlocked(Scenario scenario) {
		Fault fault = scenario.fault;
		LeftWhileBlocked may = new LeftWhileBlocked(fault.method(), queuesOfConnection());
		Awaitility.await()
			.atMost(Duration.ofMillis(PATIENCE_MILLIS))
			.pollInterval(POLL_INTERVAL)
			.untilAsserted(() -> assertThat(may.tooMuchOf(scenario.order.left()))
				.as("left with %s though it does not depend on it", fault)
				.isEmpty());
		assertThat(Thread.getAllStackTraces().keySet()).as("threads with %s", fault)
			.filteredOn((thread) -> thread.getName().startsWith("rdma-"))
			.allSatisfy((thread) -> assertThat(thread.isDaemon()).as("%s is a daemon", thread.getName()).isTrue());
	}

	/**
	 * Endpoints that are started, used and destroyed.
	 */
	private final class Scenario {

		private final Fault fault;

		private final CallOrder order = newOrder();

		private final FaultingProvider faulting;

		private final List<DestroyReport> allReports = new CopyOnWriteArrayList<>();

		private final RdmaEndpoints registry;

		private final Thread user;

		private List<DestroyReport> reports = List.of();

		private Duration destroyTook = Duration.ZERO;

		private volatile Exception failure;

		private Scenario(Fault fault) {
			this.fault = fault;
			this.faulting = FaultingProvider.of(openProvider(), this.order);
			this.faulting.inject(fault);
			this.registry = TestSettings.registry(this.faulting::provider, limits(fault), null);
			this.registry.addDestroyListener(this.allReports::add);
			Use use = prepare(this.registry);
			this.user = new Thread(() -> attempt(use), "user");
			this.user.setDaemon(true);
		}

		private void run() throws Exception {
			this.user.start();
			// A destroy that comes before the start would find nothing.
			Awaitility.await()
				.atMost(Duration.ofMillis(PATIENCE_MILLIS))
				.pollInterval(POLL_INTERVAL)
				.until(() -> !this.user.isAlive() || this.faulting.isInjected());
			this.user.join(timeOfUse().toMillis());
			long begin = System.nanoTime();
			this.reports = this.registry.destroyAll(DestroyTrigger.SHUTDOWN);
			this.destroyTook = Duration.ofNanos(System.nanoTime() - begin);
		}

		// While a call is blocked, the user may wait for it.
		private void awaitEndOfUser() throws InterruptedException {
			this.user.join(PATIENCE_MILLIS);
			assertThat(this.user.isAlive()).as("whether the user still waits with %s", this.fault).isFalse();
		}

		private void attempt(Use use) {
			try {
				use.run();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			catch (LinkageError ex) {
				this.failure = new ExecutionException(ex);
			}
			catch (RdmaException | IllegalStateException | ExecutionException | TimeoutException
					| CompletionException ex) {
				this.failure = ex;
			}
		}

	}

	/**
	 * What an application does with its endpoints.
	 */
	@FunctionalInterface
	interface Use {

		/**
		 * Start the endpoints and use them.
		 * @throws InterruptedException if the thread is interrupted
		 * @throws ExecutionException if something failed
		 * @throws TimeoutException if something took too long
		 */
		void run() throws InterruptedException, ExecutionException, TimeoutException;

	}

}
