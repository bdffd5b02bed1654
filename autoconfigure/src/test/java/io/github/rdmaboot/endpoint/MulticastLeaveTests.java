package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.FaultingProvider.Fault;
import io.github.rdmaboot.provider.FaultingProvider.Kind;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What a group is to others while a call to leave it waits for another call.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MulticastLeaveTests {

	private static final String ADDRESS = "192.0.2.1";

	private static final InetAddress GROUP = TestSettings.literal("239.1.2.3");

	private static final InetAddress OTHER = TestSettings.literal("239.1.2.4");

	private static final ShutdownSettings LIMITS = new ShutdownSettings(Duration.ofSeconds(20), Duration.ofSeconds(2),
			Duration.ofSeconds(2), Duration.ofSeconds(20));

	private final LoopbackFabric fabric = new LoopbackFabric();

	private final CallOrder order = new CallOrder();

	private final FaultingProvider faults = FaultingProvider.of(new LoopbackRdmaProvider(this.fabric), this.order);

	private final RdmaEndpoints registry = TestSettings.registry(this.faults::provider, LIMITS, null);

	private final RdmaDatagramEndpoint endpoint = this.registry
		.addDatagrams(TestSettings.datagrams("member", ADDRESS, null, GROUP.getHostAddress(), OTHER.getHostAddress()));

	@BeforeEach
	void start() throws UnknownHostException {
		this.fabric.addAddress(InetAddress.getByName(ADDRESS));
		this.registry.start();
	}

	@AfterEach
	void close() {
		this.faults.release();
		this.registry.close();
		assertThat(this.order.violations()).isEmpty();
		assertThat(this.order.left()).isEmpty();
	}

	// Who joins it meanwhile would join it a second time otherwise, and could lose that
	// membership to the call that waits.
	@Test
	void itIsJoinedUntilItsTurnComes() throws Exception {
		this.faults.inject(new Fault("rdmaLeaveMulticast", 1, Kind.BLOCK, 0));
		CompletableFuture<Boolean> other = leave(OTHER);
		await().until(this.faults::isInjected);
		CompletableFuture<Boolean> waiting = leave(GROUP);
		await().until(() -> leaving() == 2);

		assertThat(this.endpoint.groups()).as("groups while one waits to be left").containsKey(GROUP);
		assertThat(get(this.endpoint.join(GROUP)).qpNum()).as("group that is joined").isNotZero();
		assertThat(this.faults.counts().get("rdmaJoinMulticast")).as("calls to join, each to be left").hasValue(2);

		this.faults.release();
		assertThat(List.of(get(other), get(waiting))).containsExactly(true, true);
		assertThat(this.endpoint.groups()).isEmpty();
		get(this.endpoint.join(GROUP));
		assertThat(this.endpoint.leave(GROUP)).isTrue();
		assertThat(this.faults.counts().get("rdmaLeaveMulticast")).as("calls to leave").hasValue(3);
	}

	private CompletableFuture<Boolean> leave(InetAddress group) {
		return CompletableFuture.supplyAsync(() -> this.endpoint.leave(group),
				(task) -> new Thread(task, "leaver").start());
	}

	// Return how many threads make such a call, or wait for their turn.
	private static long leaving() {
		return Thread.getAllStackTraces().values().stream().filter(MulticastLeaveTests::isLeaving).count();
	}

	private static boolean isLeaving(StackTraceElement[] stack) {
		List<String> classes = Arrays.stream(stack).map(StackTraceElement::getClassName).toList();
		return classes.contains(MulticastMemberships.class.getName()) && classes.contains(SetupGate.class.getName());
	}

	private static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(10, TimeUnit.SECONDS);
	}

}
