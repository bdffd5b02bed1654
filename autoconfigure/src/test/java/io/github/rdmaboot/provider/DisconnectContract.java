package io.github.rdmaboot.provider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How connections end: disconnects, flushes and what the peer hears of it.
 */
abstract class DisconnectContract extends RdmaProviderContract {

	DisconnectContract(ContractTransport transport) {
		super(transport);
	}

	@Test
	void passiveSideHearsOfTheDisconnect() {
		Connected connected = connect();
		this.provider.rdmaDisconnect(connected.active().id);
		CmEventData event = this.server.expect(CmEventType.DISCONNECTED);
		assertThat(event.status()).isZero();
		assertThat(event.id()).isEqualTo(connected.passive().id);
	}

	@Test
	void passiveSideMayDisconnectFirst() {
		Connected connected = connect();
		this.provider.rdmaDisconnect(connected.passive().id);
		assertThat(this.client.expect(CmEventType.DISCONNECTED).status()).isZero();
	}

	@Test
	void initiatorHearsNothingUntilThePeerReacts() {
		Connected connected = connect();
		this.provider.rdmaDisconnect(connected.active().id);
		this.server.expect(CmEventType.DISCONNECTED);
		if (rules().disconnectNeedsBothSides()) {
			this.client.expectSilence();
			this.provider.rdmaDisconnect(connected.passive().id);
		}
		assertThat(this.client.expect(CmEventType.DISCONNECTED).status()).isZero();
	}

	@Test
	void disconnectThatFailsMovesTheQueuePairToErrorAllTheSame() {
		Endpoint endpoint = endpoint(resolved(address(4000)));
		endpoint.postReceive(3, 100);
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaDisconnect(endpoint.id));
		if (rules().failedDisconnectFlushes()) {
			assertState(endpoint, QueuePairState.ERR);
			endpoint.expect(CompletionStatus.WR_FLUSH_ERR, 3);
		}
		else {
			endpoint.expectNoCompletion();
		}
	}

	@Test
	void disconnectMovesTheQueuePairToErrorAndFlushes() {
		Connected connected = connect();
		connected.active().postReceive(3, 100);
		this.provider.rdmaDisconnect(connected.active().id);
		assertState(connected.active(), QueuePairState.ERR);
		connected.active().expect(CompletionStatus.WR_FLUSH_ERR, 3);
	}

	@Test
	void passiveQueuePairFlushesOnlyAfterItsOwnDisconnect() {
		Connected connected = connect();
		connected.passive().postReceive(4, 100);
		this.provider.rdmaDisconnect(connected.active().id);
		this.server.expect(CmEventType.DISCONNECTED);
		if (rules().disconnectNeedsBothSides()) {
			assertState(connected.passive(), QueuePairState.RTS);
			connected.passive().expectNoCompletion();
			this.provider.rdmaDisconnect(connected.passive().id);
		}
		connected.passive().expect(CompletionStatus.WR_FLUSH_ERR, 4);
	}

	@Test
	void sendPostedInErrorIsFlushedAtOnce() {
		Connected connected = connect();
		this.provider.rdmaDisconnect(connected.active().id);
		assertThat(connected.active().post(connected.active().request(WorkRequestOpcode.SEND, 6, 1)))
			.isEqualTo(rules().sendAfterTheDisconnect());
		if (rules().sendAfterTheDisconnect() == 0) {
			connected.active().expect(CompletionStatus.WR_FLUSH_ERR, 6);
		}
		connected.active().expectNoCompletion();
	}

	@Test
	void receivePostedInErrorIsFlushedWhenTheQueuePairGoesToErrorAgain() {
		Connected connected = connect();
		this.provider.rdmaDisconnect(connected.active().id);
		this.server.expect(CmEventType.DISCONNECTED);
		assertThat(connected.active().postReceive(5, 10)).isZero();
		this.server.expectSilence();
		// Soft-RoCE hears of a receive only when something else happens to the queue
		// pair.
		connected.active().expectNoCompletion();
		this.provider.ibvModifyQp(connected.active().qp(), QueuePairAttributes.ofState(QueuePairState.ERR));
		connected.active().expect(CompletionStatus.WR_FLUSH_ERR, 5);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3 })
	void disconnectingAgainIsNoError(int times) {
		Connected connected = connect();
		this.provider.rdmaDisconnect(connected.active().id);
		for (int i = 0; i < times; i++) {
			this.provider.rdmaDisconnect(connected.active().id);
		}
		this.server.expect(CmEventType.DISCONNECTED);
		this.server.expectSilence();
	}

	@Test
	void bothSidesMayDisconnectAndEachHearsOfItOnce() {
		Connected connected = connect();
		this.provider.rdmaDisconnect(connected.active().id);
		this.provider.rdmaDisconnect(connected.passive().id);
		assertThat(this.client.expect(CmEventType.DISCONNECTED).status()).isZero();
		assertThat(this.server.expect(CmEventType.DISCONNECTED).status()).isZero();
	}

	@Test
	void timeWaitEndsSomeTimeAfterTheDisconnect() {
		Connected connected = connect();
		this.provider.rdmaDisconnect(connected.active().id);
		this.server.expect(CmEventType.DISCONNECTED);
		this.provider.rdmaDisconnect(connected.passive().id);
		this.client.expect(CmEventType.DISCONNECTED);
		passTimeWait();
		if (rules().hasTimeWait()) {
			assertThat(this.client.expect(CmEventType.TIMEWAIT_EXIT).id()).isEqualTo(connected.active().id);
		}
		else {
			this.client.expectSilence();
		}
	}

	/**
	 * Let the time-wait state pass where time does not do so by itself.
	 */
	void passTimeWait() {
	}

	@Test
	void destroyingAnEstablishedIdDisconnectsThePeer() {
		Connected connected = connect();
		connected.active().close();
		this.client.destroy(connected.active().id);
		assertThat(this.server.expect(CmEventType.DISCONNECTED).status()).isZero();
		this.client.expectSilence();
	}

	@Test
	void destroyingAnEstablishedChildDisconnectsThePeer() {
		Connected connected = connect();
		connected.passive().close();
		this.server.destroy(connected.passive().id);
		assertThat(this.client.expect(CmEventType.DISCONNECTED).status()).isZero();
	}

	@Test
	void establishedChildOutlivesItsListener() {
		Connected connected = connect();
		this.server.destroy(connected.listener());
		connected.passive().postReceive(1, 100);
		connected.active().send(2, "still here");
		connected.passive().expect(CompletionStatus.SUCCESS, 1);
		assertThat(connected.passive().received(10)).isEqualTo("still here");
	}

	@Test
	void fetchedRequestMayBeAcceptedAfterItsListenerIsGone() {
		long listener = listener(0);
		Endpoint active = endpoint(resolved(addressOf(listener)));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		Endpoint passive = endpoint(this.server.expect(CmEventType.CONNECT_REQUEST).id());
		this.server.destroy(listener);
		this.provider.rdmaAccept(passive.id, PARAMETERS);
		this.client.expect(CmEventType.ESTABLISHED);
		this.server.expect(CmEventType.ESTABLISHED);
	}

}
