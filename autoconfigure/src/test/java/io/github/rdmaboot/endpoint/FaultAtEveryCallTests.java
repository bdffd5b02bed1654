package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.FaultingProvider.Fault;
import io.github.rdmaboot.provider.FaultingProvider.Kind;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Makes each call of bring-up and teardown fail with each errno that it is known for,
 * block, and return late, one at a time.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FaultAtEveryCallTests {

	private static final ShutdownSettings LIMITS = new ShutdownSettings(Duration.ofSeconds(3), Duration.ofMillis(150),
			Duration.ofMillis(150), Duration.ofMillis(250));

	/** What the limits may be exceeded by on a busy machine. */
	private static final Duration SLACK = Duration.ofSeconds(2);

	private static final Map<String, List<Errno>> ERRNOS = errnos();

	private static final Set<String> STOPS_THE_USER = Set.of("createWaker", "rdmaCreateEventChannel", "rdmaCreateId",
			"rdmaBindAddr", "rdmaListen", "rdmaResolveAddr", "rdmaResolveRoute", "rdmaConnect");

	private static Map<String, List<Errno>> errnos() {
		Map<String, List<Errno>> errnos = new LinkedHashMap<>();
		errnos.put("createWaker", List.of(Errno.EMFILE, Errno.ENOMEM));
		errnos.put("awaitCmEvent", List.of(Errno.EBADF));
		errnos.put("awaitCqEvent", List.of(Errno.EBADF, Errno.EIO));
		errnos.put("rdmaCreateEventChannel", List.of(Errno.ENODEV, Errno.ENOENT, Errno.EACCES, Errno.EMFILE));
		errnos.put("rdmaCreateId", List.of(Errno.EINVAL, Errno.ENODEV, Errno.ENOMEM));
		errnos.put("rdmaBindAddr", List.of(Errno.EADDRINUSE, Errno.EADDRNOTAVAIL, Errno.ENODEV, Errno.EACCES));
		errnos.put("rdmaListen", List.of(Errno.EINVAL, Errno.EADDRINUSE));
		errnos.put("rdmaResolveAddr", List.of(Errno.ENETUNREACH, Errno.EHOSTUNREACH, Errno.ENODEV));
		errnos.put("rdmaResolveRoute", List.of(Errno.EINVAL, Errno.ENXIO));
		errnos.put("rdmaGetCmEvent", List.of(Errno.EBADF));
		errnos.put("rdmaAckCmEvent", List.of(Errno.EINVAL));
		errnos.put("contextOf", List.of());
		errnos.put("deviceOf", List.of());
		errnos.put("ibvGetDeviceName", List.of());
		errnos.put("rdmaGetLocalAddr", List.of());
		errnos.put("rdmaGetPeerAddr", List.of());
		errnos.put("ibvAllocPd", List.of(Errno.ENOMEM));
		errnos.put("ibvCreateCompChannel", List.of(Errno.EMFILE, Errno.ENOMEM));
		errnos.put("ibvCreateCq", List.of(Errno.EINVAL, Errno.ENOMEM));
		errnos.put("ibvReqNotifyCq", List.of(Errno.EIO));
		errnos.put("ibvGetCqEvent", List.of(Errno.EIO));
		errnos.put("ibvAckCqEvents", List.of());
		errnos.put("ibvPollCq", List.of());
		errnos.put("ibvRegMr", List.of(Errno.ENOMEM, Errno.EPERM, Errno.EINVAL));
		errnos.put("rdmaCreateQp", List.of(Errno.EINVAL, Errno.ENOMEM));
		errnos.put("ibvPostRecv", List.of(Errno.ENOMEM, Errno.EINVAL));
		errnos.put("ibvPostSend", List.of(Errno.ENOMEM, Errno.EINVAL));
		errnos.put("ibvModifyQp", List.of(Errno.EINVAL, Errno.EIO));
		errnos.put("rdmaConnect", List.of(Errno.EINVAL, Errno.ENXIO));
		errnos.put("rdmaAccept", List.of(Errno.EINVAL, Errno.ENXIO));
		errnos.put("rdmaDisconnect", List.of(Errno.EINVAL, Errno.ENXIO, Errno.EIO));
		errnos.put("rdmaDestroyQp", List.of(Errno.EBUSY, Errno.EIO));
		errnos.put("ibvDeregMr", List.of(Errno.EBUSY, Errno.EIO));
		errnos.put("ibvDestroyCq", List.of(Errno.EBUSY));
		errnos.put("ibvDestroyCompChannel", List.of(Errno.EBUSY));
		errnos.put("ibvDeallocPd", List.of(Errno.EBUSY));
		errnos.put("rdmaDestroyId", List.of(Errno.EBADF, Errno.ENOENT, Errno.EINVAL, Errno.EACCES));
		errnos.put("rdmaDestroyEventChannel", List.of());
		errnos.put("destroyWaker", List.of());
		errnos.put("wake", List.of());
		return errnos;
	}

	private static List<Fault> faults() throws Exception {
		Scenario scenario = new Scenario(new Fault("", 0, Kind.NONE, 0));
		scenario.run();
		assertThat(scenario.order.violations()).as("order without a fault").isEmpty();
		Map<String, AtomicInteger> counts = scenario.faulting.counts();
		List<Fault> faults = new ArrayList<>();
		ERRNOS.forEach((method, errnos) -> {
			int calls = counts.getOrDefault(method, new AtomicInteger()).get();
			assertThat(calls).as("calls of %s without a fault", method).isPositive();
			for (int number = 1; number <= Math.min(calls, 4); number++) {
				for (Errno errno : errnos) {
					faults.add(new Fault(method, number, Kind.FAIL, errno.value()));
				}
				faults.add(new Fault(method, number, Kind.LATE, 0));
				faults.add(new Fault(method, number, Kind.BLOCK, 0));
			}
		});
		System.out.println("Injecting " + faults.size() + " faults");
		return faults;
	}

	/**
	 * The scenarios wait most of their time, so several run at once.
	 */
	@TestFactory
	Stream<DynamicTest> destroyEndsInItsBudgetAndFreesWhatItCan() throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(8);
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
			run.get(60, TimeUnit.SECONDS);
		}
		catch (ExecutionException ex) {
			throw ex.getCause();
		}
	}

	private static void check(Fault fault) throws Exception {
		Scenario scenario = new Scenario(fault);
		try {
			scenario.run();
			assertThat(scenario.order.violations()).as("order with %s", fault).isEmpty();
			assertThat(scenario.destroyTook).as("duration of the destroy with %s", fault)
				.isLessThan(LIMITS.timeout().plus(SLACK));
			if (fault.kind() != Kind.BLOCK) {
				assertThat(scenario.userEnded).as("nobody waits for ever with %s", fault).isTrue();
				assertThat(scenario.order.left()).as("left behind with %s", fault).isEmpty();
				assertThat(scenario.reports).as("reports with %s", fault)
					.allSatisfy((report) -> assertThat(report.result()).isNotEqualTo(DestroyResult.TIMEOUT));
			}
			if (fault.kind() == Kind.FAIL && STOPS_THE_USER.contains(fault.method()) && fault.number() == 1) {
				assertThat(scenario.failure).as("what the user sees of %s", fault)
					.hasStackTraceContaining(Errno.symbol(fault.errno()));
			}
			if (fault.kind() == Kind.FAIL && isTeardownOfConnection(fault.method())) {
				assertThat(scenario.faulting.isInjected()).isTrue();
				assertThat(scenario.allReports).as("reports with %s", fault)
					.anySatisfy((report) -> assertThat(report.toLine()).contains("failure")
						.contains(Errno.symbol(fault.errno())));
			}
		}
		finally {
			scenario.faulting.release();
		}
		if (fault.kind() == Kind.BLOCK) {
			Awaitility.await()
				.atMost(Duration.ofSeconds(20))
				.untilAsserted(
						() -> assertThat(scenario.order.left()).as("left after %s was released", fault).isEmpty());
			assertThat(scenario.order.violations()).as("order after %s was released", fault).isEmpty();
		}
	}

	private static boolean isTeardownOfConnection(String method) {
		return switch (method) {
			case "rdmaDestroyQp", "ibvDeregMr", "ibvDestroyCq", "ibvDestroyCompChannel", "ibvDeallocPd",
					"rdmaDestroyId" ->
				true;
			default -> false;
		};
	}

	/**
	 * A server and a client that connect, exchange a message and are destroyed.
	 */
	private static final class Scenario {

		private final CallOrder order = new CallOrder();

		private final FaultingProvider faulting;

		private final List<DestroyReport> allReports = new CopyOnWriteArrayList<>();

		private List<DestroyReport> reports = List.of();

		private Duration destroyTook = Duration.ZERO;

		private boolean userEnded;

		private volatile Exception failure;

		private Scenario(Fault fault) throws Exception {
			LoopbackFabric fabric = new LoopbackFabric();
			fabric.addAddress(InetAddress.getByName("192.0.2.1"));
			this.faulting = FaultingProvider.of(new LoopbackRdmaProvider(fabric), this.order);
			this.faulting.inject(fault);
		}

		private void run() throws Exception {
			RdmaEndpoints registry = new RdmaEndpoints(this.faulting::provider, LIMITS, null);
			registry.addDestroyListener(this.allReports::add);
			RdmaServer server = registry.addServer(TestSettings.server("server", "192.0.2.1", 4711));
			server.onMessage((connection, message) -> connection.send(message, (error) -> {
			}));
			RdmaClient client = registry.addClient(TestSettings.client("client", "192.0.2.1", 4711, ClientStartup.LAZY,
					TestSettings.NO_RECONNECT, Duration.ofMillis(250)));
			Thread user = new Thread(() -> use(registry, client), "user");
			user.setDaemon(true);
			user.start();
			user.join(600);
			long begin = System.nanoTime();
			this.reports = registry.destroyAll(DestroyTrigger.SHUTDOWN);
			this.destroyTook = Duration.ofNanos(System.nanoTime() - begin);
			user.join(SLACK.toMillis());
			this.userEnded = !user.isAlive();
		}

		private void use(RdmaEndpoints registry, RdmaClient client) {
			try {
				registry.start();
				RdmaConnection connection = client.connection();
				connection.send(ByteBuffer.wrap(new byte[] { 1, 2, 3 })).get(200, TimeUnit.MILLISECONDS);
				assertThat(connection.receive().get(200, TimeUnit.MILLISECONDS)).containsExactly(1, 2, 3);
			}
			catch (RdmaException | IllegalStateException | ExecutionException | TimeoutException
					| CompletionException ex) {
				this.failure = ex;
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

	}

}
