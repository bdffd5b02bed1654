package io.github.rdmaboot.provider;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;

import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackFaults;
import io.github.rdmaboot.provider.loopback.VirtualClock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for the faults and the clock of {@link LoopbackFabric}.
 */
class LoopbackFaultsTests extends RdmaProviderContract {

	private static final InetAddress SERVER = LoopbackTransport.of("192.0.2.1");

	private static final InetAddress CLIENT = LoopbackTransport.of("192.0.2.2");

	private LoopbackFabric fabric;

	private LoopbackFaults faults;

	private VirtualClock clock;

	LoopbackFaultsTests() {
		super(new LoopbackTransport());
	}

	@BeforeEach
	void stopTheClock() {
		this.fabric = ((LoopbackTransport) transport()).fabric();
		this.fabric.addAddress(CLIENT);
		this.faults = this.fabric.faults();
		this.clock = closeLater(this.fabric.useVirtualClock());
	}

	@Override
	long resolved(InetSocketAddress destination) {
		long id = this.client.newId(PortSpace.TCP);
		this.provider.rdmaResolveAddr(id, new InetSocketAddress(CLIENT, 0), destination, 2000);
		expectNow(this.client, CmEventType.ADDR_RESOLVED);
		this.provider.rdmaResolveRoute(id, 2000);
		expectNow(this.client, CmEventType.ROUTE_RESOLVED);
		return id;
	}

	private CmEventData expectNow(CmFixture fixture, CmEventType type) {
		CmEventData event = this.provider.rdmaGetCmEvent(fixture.channel());
		assertThat(event).as("event %s", type).isNotNull();
		this.provider.rdmaAckCmEvent(event.event());
		assertThat(CmEventType.of(event.type())).isEqualTo(type);
		return event;
	}

	private void expectNothing(CmFixture fixture) {
		assertThat(this.provider.rdmaGetCmEvent(fixture.channel())).isNull();
	}

	private Endpoint connecting() {
		Endpoint active = endpoint(resolved(addressOf(listener(0))));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		return active;
	}

	private Endpoint connecting(ConnectionParameters parameters) {
		Endpoint active = endpoint(resolved(addressOf(listener(0))));
		this.provider.rdmaConnect(active.id, parameters);
		return active;
	}

	@Test
	void silentHostIsUnreachableAfterTheKernelsLimit() {
		this.faults.silence(SERVER);
		Endpoint active = connecting();
		this.clock.advance(Duration.ofSeconds(99));
		expectNothing(this.client);
		this.clock.advance(Duration.ofSeconds(2));
		CmEventData event = expectNow(this.client, CmEventType.UNREACHABLE);
		assertThat(event.status()).isEqualTo(-Errno.ETIMEDOUT.value());
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaConnect(active.id, PARAMETERS));
	}

	@Test
	void unansweredDisconnectEndsAfterTheKernelsLimit() {
		Connected connected = connect();
		this.faults.silence(SERVER);
		this.provider.rdmaDisconnect(connected.active().id);
		this.clock.advance(Duration.ofSeconds(97));
		expectNothing(this.client);
		this.clock.advance(Duration.ofSeconds(2));
		assertThat(expectNow(this.client, CmEventType.DISCONNECTED).status()).isEqualTo(-Errno.ETIMEDOUT.value());
	}

	@Test
	void peerThatNeverReactsEndsTheDisconnectAfterTheKernelsLimit() {
		Connected connected = connect();
		this.provider.rdmaDisconnect(connected.active().id);
		expectNow(this.server, CmEventType.DISCONNECTED);
		this.clock.advance(Duration.ofSeconds(99));
		assertThat(expectNow(this.client, CmEventType.DISCONNECTED).status()).isEqualTo(-Errno.ETIMEDOUT.value());
		expectNothing(this.server);
	}

	@Test
	void hiddenNeighbourIsAnAddressErrorAfterTheCallersLimit() {
		this.faults.hideNeighbour(SERVER);
		long id = this.client.newId(PortSpace.TCP);
		this.provider.rdmaResolveAddr(id, null, address(4000), 2000);
		this.clock.advance(Duration.ofMillis(1999));
		expectNothing(this.client);
		this.clock.advance(Duration.ofMillis(1));
		assertThat(expectNow(this.client, CmEventType.ADDR_ERROR).status()).isEqualTo(-Errno.ETIMEDOUT.value());
		this.faults.heal();
		this.provider.rdmaResolveAddr(id, null, address(4000), 2000);
		expectNow(this.client, CmEventType.ADDR_RESOLVED);
	}

	@Test
	void addressThatNobodyHasIsAnAddressError() {
		long id = this.client.newId(PortSpace.TCP);
		this.provider.rdmaResolveAddr(id, null, new InetSocketAddress("192.0.2.77", 4000), 500);
		this.clock.advance(Duration.ofMillis(500));
		assertThat(expectNow(this.client, CmEventType.ADDR_ERROR).status()).isEqualTo(-Errno.ETIMEDOUT.value());
	}

	@Test
	void destroyCancelsAResolutionThatWaits() {
		this.faults.hideNeighbour(SERVER);
		long id = this.client.newId(PortSpace.TCP);
		this.provider.rdmaResolveAddr(id, null, address(4000), 2000);
		this.client.destroy(id);
		assertThat(this.fabric.resources().timers()).isZero();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 5, 15 })
	void lostRequestsAreSentAgain(int lost) {
		this.faults.lose(CLIENT, SERVER, lost);
		connecting();
		expectNothing(this.server);
		this.clock.advance(Duration.ofMillis(6144L * lost));
		expectNow(this.server, CmEventType.CONNECT_REQUEST);
	}

	@Test
	void lostReplyIsSentAgain() {
		connecting();
		Endpoint passive = endpoint(this.server.expect(CmEventType.CONNECT_REQUEST).id());
		this.faults.lose(SERVER, CLIENT, 1);
		this.provider.rdmaAccept(passive.id, PARAMETERS);
		expectNothing(this.client);
		this.clock.advance(Duration.ofSeconds(7));
		expectNow(this.client, CmEventType.ESTABLISHED);
		expectNow(this.server, CmEventType.ESTABLISHED);
	}

	@Test
	void replyThatIsNeverAnsweredIsUnreachable() {
		connecting();
		Endpoint passive = endpoint(this.server.expect(CmEventType.CONNECT_REQUEST).id());
		this.faults.partition(CLIENT, SERVER);
		this.provider.rdmaAccept(passive.id, PARAMETERS);
		this.clock.advance(Duration.ofSeconds(101));
		expectNow(this.server, CmEventType.UNREACHABLE);
	}

	@Test
	void backlogOverflowIsMadeUpForByTheNextTry() {
		long listener = listener(1);
		for (int i = 0; i < 2; i++) {
			this.provider.rdmaConnect(endpoint(resolved(addressOf(listener))).id, PARAMETERS);
		}
		expectNow(this.server, CmEventType.CONNECT_REQUEST);
		expectNothing(this.server);
		this.clock.advance(Duration.ofSeconds(7));
		expectNow(this.server, CmEventType.CONNECT_REQUEST);
	}

	@Test
	void delayedMessageArrivesLater() {
		Connected connected = connect();
		this.faults.delay(CLIENT, SERVER, Duration.ofMillis(40));
		connected.passive().postReceive(1, 10);
		connected.active().send(2, "slow");
		this.clock.advance(Duration.ofMillis(39));
		connected.passive().expectNoCompletion();
		connected.active().expectNoCompletion();
		this.clock.advance(Duration.ofMillis(1));
		connected.passive().expect(CompletionStatus.SUCCESS, 1);
		connected.active().expect(CompletionStatus.SUCCESS, 2);
	}

	@Test
	void delayedMessagesOverlap() {
		Connected connected = connect();
		this.faults.delay(CLIENT, SERVER, Duration.ofMillis(40));
		for (int i = 0; i < 3; i++) {
			connected.passive().postReceive(i, 10);
			connected.active().send(10 + i, "m");
		}
		this.clock.advance(Duration.ofMillis(40));
		for (int i = 0; i < 3; i++) {
			connected.passive().expect(CompletionStatus.SUCCESS, i);
		}
	}

	@Test
	void delayedRequestArrivesLater() {
		this.faults.delay(CLIENT, SERVER, Duration.ofSeconds(1));
		connecting();
		expectNothing(this.server);
		this.clock.advance(Duration.ofSeconds(1));
		expectNow(this.server, CmEventType.CONNECT_REQUEST);
	}

	@ParameterizedTest
	@CsvSource({ "0, 3", "1, 5", "3, 9", "6, 16" })
	void unansweredSendFailsAfterItsRetries(int retries, int seconds) {
		Endpoint active = connecting(new ConnectionParameters(NO_DATA, 1, 1, true, retries, 7, false, 0));
		Endpoint passive = endpoint(this.server.expect(CmEventType.CONNECT_REQUEST).id());
		this.provider.rdmaAccept(passive.id, PARAMETERS);
		this.client.expect(CmEventType.ESTABLISHED);
		this.faults.silence(SERVER);
		active.send(1, "lost");
		this.clock.advance(Duration.ofSeconds(seconds - 3));
		active.expectNoCompletion();
		this.clock.advance(Duration.ofSeconds(3));
		active.expect(CompletionStatus.RETRY_EXC_ERR, 1);
		assertThat(active.state()).isEqualTo(QueuePairState.ERR);
	}

	@Test
	void sevenRetriesAreWithoutEnd() {
		Connected connected = connect();
		this.faults.silence(SERVER);
		connected.passive().postReceive(2, 10);
		connected.active().send(1, "patient");
		this.clock.advance(Duration.ofHours(1));
		connected.active().expectNoCompletion();
		this.faults.heal();
		this.clock.advance(Duration.ofSeconds(3));
		connected.active().expect(CompletionStatus.SUCCESS, 1);
		connected.passive().expect(CompletionStatus.SUCCESS, 2);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 3, 6 })
	void sendWithoutAReceiveFailsAfterItsRetries(int retries) {
		ConnectionParameters parameters = new ConnectionParameters(NO_DATA, 1, 1, true, 7, retries, false, 0);
		Connected connected = connect(parameters, parameters);
		connected.active().send(1, "refused");
		connected.active().expectNoCompletion();
		this.clock.advance(Duration.ofMillis(656L * retries));
		connected.active().expect(CompletionStatus.RNR_RETRY_EXC_ERR, 1);
	}

	@Test
	void deviceRemovalReachesBoundIdsAndFlushes() {
		Connected connected = connect();
		connected.passive().postReceive(1, 10);
		this.faults.removeDevice();
		expectNow(this.client, CmEventType.DEVICE_REMOVAL);
		expectNow(this.server, CmEventType.DEVICE_REMOVAL);
		expectNow(this.server, CmEventType.DEVICE_REMOVAL);
		connected.passive().expect(CompletionStatus.WR_FLUSH_ERR, 1);
		assertErrno(Errno.ENXIO, () -> this.provider.rdmaDisconnect(connected.active().id));
		assertErrno(Errno.ENXIO, () -> this.provider.rdmaListen(connected.listener(), 1));
	}

	@Test
	void deviceRemovalDoesNotReachWildcardListeners() {
		long id = this.server.newId(PortSpace.TCP);
		this.provider.rdmaListen(id, 1);
		this.faults.removeDevice();
		expectNothing(this.server);
	}

	@Test
	void deviceRemovalIsSilentForAChildThatWasNotAccepted() {
		connecting();
		long child = this.server.expect(CmEventType.CONNECT_REQUEST).id();
		this.faults.removeDevice();
		expectNow(this.server, CmEventType.DEVICE_REMOVAL);
		expectNothing(this.server);
		assertErrno(Errno.ENXIO, () -> this.provider.rdmaReject(child, NO_DATA));
	}

	@Test
	void withoutADeviceNothingCanBeBound() {
		this.faults.removeDevice();
		assertThat(this.provider.describeDevices()).isEmpty();
		long id = this.client.newId(PortSpace.TCP);
		assertErrno(Errno.ENODEV, () -> this.provider.rdmaBindAddr(id, address(0)));
		assertErrno(Errno.ENODEV, () -> this.provider.rdmaCreateEventChannel());
	}

	@Test
	void insertedDeviceServesNewIds() {
		this.faults.removeDevice();
		this.faults.insertDevice();
		Connected connected = connect();
		assertThat(connected.active().state()).isEqualTo(QueuePairState.RTS);
	}

	@Test
	void secondVirtualClockIsRefused() {
		assertThatIllegalStateException().isThrownBy(() -> this.fabric.useVirtualClock())
			.withMessageContaining("virtual clock already");
	}

	@Test
	void clockDoesNotGoBack() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.clock.advance(Duration.ofMillis(-1)));
	}

	@Test
	void waitsFollowTheVirtualClock() throws Exception {
		long waker = this.provider.createWaker();
		BlockedCall wait = BlockedCall.start(() -> this.provider.awaitCmEvent(this.client.channel(), waker, 1000));
		wait.isBlocked();
		this.clock.advance(Duration.ofMillis(1000));
		wait.returns();
		this.provider.destroyWaker(waker);
	}

	@Test
	void staleHandleIsNoticed() {
		long id = this.client.newId(PortSpace.TCP);
		this.client.destroy(id);
		assertThatIllegalStateException().isThrownBy(() -> this.provider.rdmaDestroyId(id))
			.withMessageContaining("rdma_destroy_id");
	}

	@Test
	void acknowledgingTwiceIsNoticed() {
		long id = this.client.newId(PortSpace.TCP);
		this.provider.rdmaResolveAddr(id, null, address(4000), 1000);
		CmEventData event = this.client.fetch();
		this.client.acknowledge(event);
		assertThatIllegalStateException().isThrownBy(() -> this.provider.rdmaAckCmEvent(event.event()))
			.withMessageContaining("rdma_ack_cm_event");
	}

	@Test
	void callThatNeedsADeviceIsNoticed() {
		long id = this.client.newId(PortSpace.TCP);
		assertThatIllegalStateException().isThrownBy(() -> this.provider.rdmaResolveRoute(id, 1000))
			.withMessageContaining("not bound to a device");
	}

}
