package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

/**
 * Calls that should return at once and do not, as {@code rdma_connect} on iWARP, which
 * waits for the network: whoever waits is told in time, nobody else is held up, and what
 * was stuck is freed when the call returns.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CallsThatDoNotReturnTests {

	private static final String ADDRESS = "192.0.2.1";

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	/** The limit of each attempt to connect. */
	private static final Duration LIMIT = Duration.ofMillis(400);

	/** The limit of each call that resolves, a little behind the kernel's own. */
	private static final Duration RESOLVE_LIMIT = Duration.ofMillis(2500);

	/** How many threads connect as a rule. */
	private static final int CONNECTING = 16;

	private final LoopbackFabric fabric = new LoopbackFabric();

	private final CallOrder order = new CallOrder();

	private final HeldCalls calls = new HeldCalls(
			FaultingProvider.of(new LoopbackRdmaProvider(this.fabric), this.order).provider());

	private final RdmaEndpoints registry = TestSettings.registry(this.calls::provider,
			new ShutdownSettings(Duration.ofSeconds(20), Duration.ofSeconds(2), Duration.ofSeconds(2), LIMIT), null);

	private RdmaServer server;

	@BeforeEach
	void addServer() throws Exception {
		this.fabric.addAddress(InetAddress.getByName(ADDRESS));
		this.server = this.registry.addServer(TestSettings.server("echo", ADDRESS, 0));
		this.server.onMessage((connection, message) -> connection.send(message, (error) -> {
		}));
	}

	@AfterEach
	void releaseAndClose() {
		this.calls.release();
		this.registry.close();
	}

	private RdmaClient client(String name, ClientStartup startup, ReconnectSettings reconnect) {
		return this.registry
			.addClient(TestSettings.client(name, ADDRESS, this.server.port(), startup, reconnect, LIMIT));
	}

	private RdmaClient startedClient(String name, ReconnectSettings reconnect) {
		RdmaClient client = client(name, ClientStartup.LAZY, reconnect);
		client.start();
		return client;
	}

	private static RdmaEndpointException failureOf(CompletableFuture<?> future) {
		ExecutionException failure = catchThrowableOfType(ExecutionException.class,
				() -> future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
		assertThat(failure).hasCauseInstanceOf(RdmaEndpointException.class);
		return (RdmaEndpointException) failure.getCause();
	}

	private static void exchange(RdmaConnection connection) throws Exception {
		connection.send(ByteBuffer.wrap(new byte[] { 7 })).get(10, TimeUnit.SECONDS);
		assertThat(connection.receive().get(10, TimeUnit.SECONDS)).containsExactly(7);
	}

	private void destroyAllAndCheck() {
		List<DestroyReport> reports = this.registry.destroyAll(DestroyTrigger.SHUTDOWN);
		assertThat(reports).isNotEmpty()
			.allSatisfy((report) -> assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS));
		nothingIsLeft();
	}

	private void nothingIsLeft() {
		await().atMost(PATIENCE).untilAsserted(() -> assertThat(this.order.left()).isEmpty());
		assertThat(this.order.violations()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "rdma_connect", "rdma_resolve_addr", "rdma_resolve_route" })
	void theAttemptFailsWithinItsLimitAndTheClientConnectsOnceTheCallHasReturned(String call) throws Exception {
		this.registry.start();
		RdmaClient client = startedClient("client", TestSettings.RECONNECT);
		this.calls.hold(methodOf(call));
		RdmaEndpointException failure = failureOf(client.connect());
		assertThat(failure.call()).isEqualTo(call);
		assertThat(failure.errno()).isEqualTo(Errno.ETIMEDOUT.value());
		assertThat(failure).hasMessageContaining("'client'");
		OverdueCall.in(failure).isGivenUpAt(call, call.equals("rdma_connect") ? LIMIT : RESOLVE_LIMIT);
		await().atMost(PATIENCE).until(() -> client.state() == EndpointState.QUARANTINED);
		assertThat(client.stuckCalls()).isNotEmpty();
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> client.connect().get(5, TimeUnit.SECONDS))
			.withCauseInstanceOf(ConnectionClosedException.class)
			.withMessageContaining("stuck");
		assertThatExceptionOfType(ConnectionClosedException.class).isThrownBy(client::connection);
		this.calls.release();
		await().atMost(PATIENCE).until(() -> client.stuckCalls().isEmpty());
		exchange(client.connect().get(10, TimeUnit.SECONDS));
		destroyAllAndCheck();
	}

	private static String methodOf(String call) {
		return switch (call) {
			case "rdma_connect" -> "rdmaConnect";
			case "rdma_resolve_addr" -> "rdmaResolveAddr";
			case "rdma_resolve_route" -> "rdmaResolveRoute";
			default -> throw new IllegalArgumentException(call);
		};
	}

	@Test
	void aClientThatReconnectsDoesSoByItselfOnceTheCallHasReturned() {
		this.registry.start();
		this.calls.hold("rdmaConnect");
		RdmaClient client = client("client", ClientStartup.BACKGROUND, TestSettings.RECONNECT);
		client.start();
		await().atMost(PATIENCE).until(() -> client.state() == EndpointState.QUARANTINED);
		assertThat(client.lastError()).hasMessageContaining("rdma_connect did not return");
		this.calls.release();
		await().atMost(PATIENCE).until(() -> client.state() == EndpointState.UP);
		assertThat(client.cmId().generation()).isEqualTo(2);
		destroyAllAndCheck();
	}

	@Test
	void aStartThatRequiresTheConnectionFailsInTimeAndLeavesWhatIsStuckUntilItReturns() {
		this.registry.start();
		this.calls.hold("rdmaConnect");
		RdmaClient client = client("client", ClientStartup.REQUIRED, TestSettings.NO_RECONNECT);
		long begin = System.nanoTime();
		RdmaEndpointException failure = catchThrowableOfType(RdmaEndpointException.class, client::start);
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
		assertThat(failure.errno()).isEqualTo(Errno.ETIMEDOUT.value());
		begin = System.nanoTime();
		List<DestroyReport> reports = this.registry.destroyAll(DestroyTrigger.SHUTDOWN);
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
		assertThat(reports).filteredOn((report) -> report.endpoint().equals("echo"))
			.allSatisfy((report) -> assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS));
		assertThat(this.order.left()).isNotEmpty();
		this.calls.release();
		nothingIsLeft();
	}

	@Test
	void clientsWithStuckCallsHoldUpNoOtherClient() throws Exception {
		this.registry.start();
		RdmaClient connected = startedClient("connected", TestSettings.NO_RECONNECT);
		RdmaConnection connection = connected.connect().get(10, TimeUnit.SECONDS);
		this.calls.hold("rdmaConnect");
		List<CompletableFuture<RdmaConnection>> attempts = new ArrayList<>();
		for (int i = 0; i < 2 * CONNECTING; i++) {
			attempts.add(startedClient("stuck-" + i, TestSettings.NO_RECONNECT).connect());
		}
		attempts.forEach((attempt) -> assertThat(failureOf(attempt).errno()).isEqualTo(Errno.ETIMEDOUT.value()));
		this.calls.holdNoMore();
		assertThat(this.calls.held()).isEqualTo(2 * CONNECTING);
		exchange(connection);
		exchange(startedClient("other", TestSettings.NO_RECONNECT).connect().get(10, TimeUnit.SECONDS));
		this.calls.release();
		await().atMost(PATIENCE)
			.until(() -> this.registry.endpoints().stream().allMatch((endpoint) -> endpoint.stuckCalls().isEmpty()));
		destroyAllAndCheck();
	}

	@ParameterizedTest
	@ValueSource(strings = { "rdmaAccept", "ibvRegMr" })
	void requestsWithStuckCallsHoldUpNoOther(String method) throws Exception {
		this.registry.start();
		List<RdmaClient> stuck = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			// Those for which there is a thread only when others have been left behind
			// must not have given up by then.
			RdmaClient client = this.registry.addClient(TestSettings.client("stuck-" + i, ADDRESS, this.server.port(),
					ClientStartup.LAZY, TestSettings.NO_RECONNECT, LIMIT.multipliedBy(2)));
			client.start();
			stuck.add(client);
		}
		this.calls.hold(method);
		List<CompletableFuture<RdmaConnection>> attempts = stuck.stream().map(RdmaClient::connect).toList();
		attempts.forEach((attempt) -> assertThat(failureOf(attempt).errno()).isEqualTo(Errno.ETIMEDOUT.value()));
		await().atMost(PATIENCE).until(() -> this.calls.held() >= 6);
		this.calls.holdNoMore();
		await().atMost(PATIENCE)
			.until(() -> this.registry.endpoints().stream().anyMatch((endpoint) -> !endpoint.stuckCalls().isEmpty()));
		RdmaClient other = startedClient("other", TestSettings.NO_RECONNECT);
		await().atMost(PATIENCE).ignoreExceptions().until(() -> other.connect().get(5, TimeUnit.SECONDS).isOpen());
		exchange(other.connection());
		this.calls.release();
		await().atMost(PATIENCE)
			.until(() -> this.registry.endpoints().stream().allMatch((endpoint) -> endpoint.stuckCalls().isEmpty()));
		destroyAllAndCheck();
	}

	@Test
	void aConnectionThatTheApplicationClosedStaysClosedWhenItsStuckCallHasReturned() throws Exception {
		this.registry.start();
		RdmaClient client = startedClient("client", TestSettings.RECONNECT);
		RdmaConnection connection = client.connect().get(10, TimeUnit.SECONDS);
		this.calls.hold("rdmaDestroyQp");
		assertThat(connection.close().get(10, TimeUnit.SECONDS).result()).isEqualTo(DestroyResult.TIMEOUT);
		await().atMost(PATIENCE).until(() -> client.state() == EndpointState.QUARANTINED);
		this.calls.release();
		await().atMost(PATIENCE).until(() -> client.stuckCalls().isEmpty());
		await().during(TestSettings.RECONNECT.maxBackoff().multipliedBy(2))
			.atMost(PATIENCE)
			.until(() -> client.state() == EndpointState.DOWN);
		exchange(client.connect().get(10, TimeUnit.SECONDS));
		destroyAllAndCheck();
	}

	@Test
	void aLookUpOfAPeerFailsWithinItsLimit() throws Exception {
		RdmaDatagramEndpoint asked = this.registry.addDatagrams(TestSettings.datagrams("asked", ADDRESS, 4712));
		RdmaDatagramEndpoint asker = this.registry.addDatagrams(new DatagramSettings("asker", ADDRESS, null, 16, LIMIT,
				LIMIT, List.of(), 16, 64, null, CompletionSettings.defaults(), TestSettings.RECONNECT));
		this.registry.start();
		this.calls.hold("rdmaConnect");
		RdmaEndpointException failure = failureOf(asker.resolve(ADDRESS, asked.port()));
		assertThat(failure.call()).isEqualTo("rdma_connect");
		assertThat(failure.errno()).isEqualTo(Errno.ETIMEDOUT.value());
		this.calls.release();
		assertThat(asker.resolve(ADDRESS, asked.port()).get(10, TimeUnit.SECONDS)).isNotNull();
		destroyAllAndCheck();
	}

	@Test
	void answersWithStuckCallsHoldUpNoOther() throws Exception {
		RdmaDatagramEndpoint asked = this.registry.addDatagrams(TestSettings.datagrams("asked", ADDRESS, 4712));
		RdmaDatagramEndpoint asker = this.registry.addDatagrams(new DatagramSettings("asker", ADDRESS, null, 16, LIMIT,
				LIMIT, List.of(), 16, 64, null, CompletionSettings.defaults(), TestSettings.RECONNECT));
		this.registry.start();
		this.calls.hold("rdmaAccept");
		List<CompletableFuture<DatagramPeer>> questions = new ArrayList<>();
		for (int i = 0; i < 6; i++) {
			questions.add(asker.resolve(ADDRESS, asked.port()));
		}
		questions.forEach((question) -> assertThat(failureOf(question).errno()).isEqualTo(Errno.ETIMEDOUT.value()));
		await().atMost(PATIENCE).until(() -> this.calls.held() >= 6);
		this.calls.holdNoMore();
		assertThat(asker.resolve(ADDRESS, asked.port()).get(10, TimeUnit.SECONDS)).isNotNull();
		this.calls.release();
		destroyAllAndCheck();
	}

	@Test
	void aCloseWaitsOnceForACallThatIsNotPastItsLimit() {
		Duration limit = Duration.ofSeconds(1);
		try (RdmaEndpoints clients = TestSettings.registry(this.calls::provider,
				new ShutdownSettings(Duration.ofSeconds(20), Duration.ofSeconds(2), Duration.ofSeconds(2), limit),
				null)) {
			this.registry.start();
			clients.start();
			RdmaClient client = clients.addClient(TestSettings.client("client", ADDRESS, this.server.port(),
					ClientStartup.BACKGROUND, TestSettings.NO_RECONNECT, Duration.ofSeconds(30)));
			this.calls.hold("rdmaConnect");
			client.start();
			await().atMost(PATIENCE).until(() -> this.calls.held() == 1);
			long begin = System.nanoTime();
			List<DestroyReport> reports = clients.destroyAll(DestroyTrigger.RESTART);
			assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(limit.multipliedBy(19).dividedBy(10));
			assertThat(reports).singleElement()
				.satisfies((report) -> assertThat(report.toLine()).contains("result=timeout")
					.contains("still inside rdma_connect"));
			this.calls.release();
			await().atMost(PATIENCE).until(() -> client.stuckCalls().isEmpty());
		}
		this.registry.close();
		nothingIsLeft();
	}

	@Test
	void aCloseLeavesACallThatHasTakenItsTimeAtOnce() {
		this.registry.start();
		RdmaClient client = this.registry.addClient(TestSettings.client("client", ADDRESS, this.server.port(),
				ClientStartup.LAZY, TestSettings.NO_RECONNECT, Duration.ofSeconds(30)));
		client.start();
		this.calls.hold("rdmaConnect");
		CompletableFuture<RdmaConnection> connecting = client.connect();
		await().atMost(PATIENCE).until(() -> this.calls.held() == 1);
		await().pollDelay(LIMIT.multipliedBy(2)).until(() -> this.calls.held() == 1);
		DestroyReport report = client.destroy();
		assertThat(report.failures()).first().satisfies((step) -> {
			assertThat(step.call()).isEqualTo("rdma_connect");
			assertThat(step.duration()).isLessThan(LIMIT);
		});
		assertThat(connecting).failsWithin(PATIENCE);
		this.calls.release();
		await().atMost(PATIENCE).until(() -> client.stuckCalls().isEmpty());
		destroyAllAndCheck();
	}

	@Test
	void whoeverAsksForAPeerIsToldWhenACloseLeavesTheCall() {
		try (RdmaEndpoints askers = TestSettings.registry(this.calls::provider,
				new ShutdownSettings(Duration.ofSeconds(20), Duration.ofMillis(100), Duration.ofSeconds(2), LIMIT),
				null)) {
			RdmaDatagramEndpoint asked = this.registry.addDatagrams(TestSettings.datagrams("asked", ADDRESS, 4712));
			RdmaDatagramEndpoint asker = askers.addDatagrams(
					new DatagramSettings("asker", ADDRESS, null, 16, Duration.ofSeconds(30), Duration.ofSeconds(30),
							List.of(), 16, 64, null, CompletionSettings.defaults(), TestSettings.RECONNECT));
			this.registry.start();
			askers.start();
			this.calls.hold("rdmaConnect");
			CompletableFuture<DatagramPeer> question = asker.resolve(ADDRESS, asked.port());
			await().atMost(PATIENCE).until(() -> this.calls.held() == 1);
			askers.destroyAll(DestroyTrigger.RESTART);
			assertThat(failureOf(question).call()).isEqualTo("rdma_connect");
			this.calls.release();
		}
		this.registry.close();
		nothingIsLeft();
	}

}
