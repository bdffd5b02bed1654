package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import io.github.rdmaboot.verbs.CompletionMode;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * How many calls the destroy of idle connections takes.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DestroyCallsTests {

	private static final int CONNECTIONS = 50;

	private static final int IDS = 2 * CONNECTIONS;

	private static final MemorySettings MEMORY = new MemorySettings(1024, 4);

	@ParameterizedTest
	@EnumSource(names = "POLL", mode = EnumSource.Mode.EXCLUDE)
	void destroyPollsEachQueueOnceAndArmsNone(CompletionMode mode) throws Exception {
		LoopbackFabric fabric = new LoopbackFabric();
		fabric.addAddress(InetAddress.getByName("192.0.2.1"));
		CountingProvider counting = CountingProvider.around(new LoopbackRdmaProvider(fabric));
		CompletionSettings completion = CompletionSettings.of(mode, HandlerThread.EXECUTOR);
		RdmaEndpoints registry = CheckedEndpoints.create(counting::proxy, ShutdownSettings.defaults(), null);
		RdmaServer server = registry.addServer(new ServerSettings("server", "192.0.2.1", 0, 16, TestSettings.QUEUE_PAIR,
				TestSettings.CONNECTION, MEMORY, completion));
		registry.start();
		for (int i = 0; i < CONNECTIONS; i++) {
			registry
				.addClient(new ClientSettings("client-" + i, "192.0.2.1", server.port(), null, Duration.ofSeconds(5),
						Duration.ofSeconds(5), ClientStartup.BACKGROUND, TestSettings.NO_RECONNECT,
						TestSettings.QUEUE_PAIR, TestSettings.CONNECTION, MEMORY, completion))
				.start();
		}
		await().atMost(Duration.ofSeconds(60))
			.until(() -> server.connections().size() == CONNECTIONS
					&& registry.endpoints().stream().allMatch((endpoint) -> endpoint.state() == EndpointState.UP));
		counting.reset();
		assertThat(registry.destroyAll(DestroyTrigger.SHUTDOWN))
			.allSatisfy((report) -> assertThat(report.result()).isEqualTo(DestroyResult.SUCCESS));
		Map<String, Long> calls = counting.counts();
		long total = calls.values().stream().mapToLong(Long::longValue).sum();
		System.out.printf("Calls for each of %d ids, completion mode %s: %.2f %s%n", IDS, mode, (double) total / IDS,
				calls);
		assertThat(calls.get("ibvPollCq")).as("polls, each of the drain").isLessThan(IDS + IDS / 5);
		assertThat(calls.getOrDefault("ibvAckCqEvents", 0L)).as("events of queues that are all about to be destroyed")
			.isLessThan(IDS / 5L);
		assertThat(calls).as("arming what is about to be destroyed").doesNotContainKey("ibvReqNotifyCq");
		assertThat(calls.get("ibvDeregMr")).as("memory of the pool is freed with the device").isLessThan(IDS);
	}

}
