package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.FaultingProvider.Fault;
import io.github.rdmaboot.provider.FaultingProvider.Kind;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import io.github.rdmaboot.verbs.CompletionMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The completion modes on a loopback fabric, whose calls throw on handles that were
 * destroyed.
 */
class LoopbackCompletionModeTests extends CompletionModeContract {

	private final LoopbackFabric fabric = new LoopbackFabric();

	private final CallOrder order = new CallOrder(false);

	private FaultingProvider faulting = FaultingProvider.of(new LoopbackRdmaProvider(this.fabric), this.order);

	LoopbackCompletionModeTests() throws UnknownHostException {
		this.fabric.addAddress(InetAddress.getByName(localAddress()));
	}

	@AfterEach
	void objectsWereFreedInOrder() {
		closeRegistries();
		assertThat(this.order.violations()).isEmpty();
		assertThat(this.order.left()).isEmpty();
	}

	@Override
	RdmaProvider openProvider() {
		this.faulting = FaultingProvider.of(new LoopbackRdmaProvider(this.fabric), this.order);
		return this.faulting.provider();
	}

	@Override
	String localAddress() {
		return "192.0.2.1";
	}

	@Override
	String nativeObjects() {
		return this.fabric.resources().toString();
	}

	private int calls(String method) {
		return this.faulting.counts().getOrDefault(method, new AtomicInteger()).get();
	}

	private RdmaConnection connection(CompletionSettings completion) throws Exception {
		RdmaEndpoints registry = registry();
		RdmaServer server = echoServer(registry, "server", completion);
		registry.start();
		return get(startedClient(registry, "client", server, completion).connect());
	}

	@Test
	void pollingNeedsNoEventsOfCompletions() throws Exception {
		echo(connection(CompletionSettings.of(CompletionMode.POLL, HandlerThread.EXECUTOR)), 5);
		closeRegistries();
		assertThat(List.of(calls("ibvCreateCompChannel"), calls("ibvReqNotifyCq"), calls("awaitCqEvent"),
				calls("ibvGetCqEvent")))
			.containsOnly(0);
	}

	@Test
	void eventsArePolledForOnceEach() throws Exception {
		RdmaConnection connection = connection(CompletionSettings.defaults());
		echo(connection, 5);
		closeRegistries();
		assertThat(calls("ibvAckCqEvents")).as("events acknowledged").isPositive();
		assertThat(calls("ibvPollCq")).as("polls, each after an event or in a drain")
			.isLessThan(2 * calls("ibvAckCqEvents") + 20);
	}

	@Test
	void adaptiveThreadPollsForAWhileAndThenSleeps() throws Exception {
		Duration spinTime = Duration.ofMillis(100);
		RdmaConnection connection = connection(
				new CompletionSettings(CompletionMode.ADAPTIVE, spinTime, null, HandlerThread.EXECUTOR));
		int armed = calls("ibvReqNotifyCq");
		int polls = calls("ibvPollCq");
		echo(connection, 1);
		await().atMost(Duration.ofSeconds(30)).until(() -> calls("ibvReqNotifyCq") >= armed + 2);
		assertThat(calls("ibvPollCq") - polls).as("polls while it spun").isGreaterThan(20);
		AtomicInteger before = new AtomicInteger(-1);
		await().atMost(Duration.ofSeconds(30))
			.pollInterval(spinTime)
			.until(() -> before.getAndSet(calls("ibvPollCq")) == calls("ibvPollCq"));
		echo(connection, 1);
	}

	@ParameterizedTest
	@EnumSource(CompletionMode.class)
	void removalOfTheDeviceEndsTheConnectionsAndFreesEverything(CompletionMode mode) throws Exception {
		String before = nativeObjects();
		RdmaConnection connection = connection(CompletionSettings.of(mode, HandlerThread.EXECUTOR));
		echo(connection, 5);
		this.fabric.faults().removeDevice();
		await().atMost(Duration.ofSeconds(30)).until(() -> !connection.isOpen());
		closeRegistries();
		this.fabric.faults().insertDevice();
		assertThat(nativeObjects()).isEqualTo(before);
	}

	@Test
	void queueThatCannotBeArmedEndsItsConnectionWithTheReason() throws Exception {
		RdmaEndpoints registry = registry();
		RdmaServer server = echoServer(registry, "server",
				CompletionSettings.of(CompletionMode.POLL, HandlerThread.EXECUTOR));
		registry.start();
		this.faulting.inject(new Fault("ibvReqNotifyCq", 2, Kind.FAIL, Errno.EIO.value()));
		RdmaClient client = startedClient(registry, "client", server, CompletionSettings.defaults());
		RdmaConnection connection = get(client.connect());
		connection.send(ByteBuffer.allocate(1), (error) -> {
		});
		await().atMost(Duration.ofSeconds(30)).until(() -> client.state() == EndpointState.DOWN);
		assertThat(client.lastError()).hasMessageContaining("ibv_req_notify_cq").hasMessageContaining("EIO");
	}

}
