package io.github.rdmaboot.provider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests that are rejected or given up, by either side.
 */
abstract class RejectContract extends RdmaProviderContract {

	private static final int TIMED_OUT = 4;

	RejectContract(ContractTransport transport) {
		super(transport);
	}

	@Test
	void destroyingARequestedChildRejectsThePeer() {
		long listener = listener(0);
		Endpoint active = endpoint(resolved(addressOf(listener)));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		this.server.destroy(this.server.expect(CmEventType.CONNECT_REQUEST).id());
		assertThat(this.client.expect(CmEventType.REJECTED).status()).isEqualTo(rules().rejectedByApplication());
	}

	@Test
	void destroyingTheListenerRejectsWhatWasNotFetched() {
		long listener = listener(0);
		Endpoint active = endpoint(resolved(addressOf(listener)));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		awaitServerEvent();
		this.server.destroy(listener);
		assertThat(this.client.expect(CmEventType.REJECTED).status()).isEqualTo(rules().rejectedByApplication());
	}

	private void awaitServerEvent() {
		long waker = this.provider.createWaker();
		assertThat(this.provider.awaitCmEvent(this.server.channel(), waker, 20_000)).isTrue();
		this.provider.destroyWaker(waker);
	}

	@Test
	void peerThatGivesUpIsNotReportedBeforeTheAcceptance() {
		long listener = listener(0);
		Endpoint active = endpoint(resolved(addressOf(listener)));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		long child = this.server.expect(CmEventType.CONNECT_REQUEST).id();
		active.close();
		this.client.destroy(active.id);
		this.server.expectSilence();
		assertErrno(rules().answerAfterThePeerGaveUp(), () -> this.provider.rdmaReject(child, NO_DATA));
	}

	@Test
	void acceptanceFailsAfterThePeerGaveUp() {
		long listener = listener(0);
		Endpoint active = endpoint(resolved(addressOf(listener)));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		Endpoint passive = endpoint(this.server.expect(CmEventType.CONNECT_REQUEST).id());
		active.close();
		this.client.destroy(active.id);
		this.server.expectSilence();
		assertErrno(rules().answerAfterThePeerGaveUp(), () -> this.provider.rdmaAccept(passive.id, PARAMETERS));
	}

	@Test
	void rejectingTwiceIsInvalid() {
		long listener = listener(0);
		Endpoint active = endpoint(resolved(addressOf(listener)));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		long child = this.server.expect(CmEventType.CONNECT_REQUEST).id();
		this.provider.rdmaReject(child, NO_DATA);
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaReject(child, NO_DATA));
	}

	@ParameterizedTest
	@ValueSource(ints = { 149, 200, 251 })
	void rejectionWithMorePrivateDataThanItCarriesIsInvalid(int length) {
		long listener = listener(0);
		Endpoint active = endpoint(resolved(addressOf(listener)));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		long child = this.server.expect(CmEventType.CONNECT_REQUEST).id();
		int taken = Math.min(length, rules().rejectDataLimit());
		if (taken < length) {
			assertErrno(Errno.EINVAL, () -> this.provider.rdmaReject(child, new byte[length]));
		}
		this.provider.rdmaReject(child, new byte[taken]);
		assertThat(this.client.expect(CmEventType.REJECTED).privateData()).hasSize(taken);
	}

	@Test
	void acceptingAfterRejectionIsInvalid() {
		long listener = listener(0);
		Endpoint active = endpoint(resolved(addressOf(listener)));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		Endpoint passive = endpoint(this.server.expect(CmEventType.CONNECT_REQUEST).id());
		this.provider.rdmaReject(passive.id, NO_DATA);
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaAccept(passive.id, PARAMETERS));
	}

	@Test
	void acceptedChildHearsThatThePeerGaveUp() {
		long listener = listener(0);
		Endpoint active = endpoint(resolved(addressOf(listener)));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		Endpoint passive = endpoint(this.server.expect(CmEventType.CONNECT_REQUEST).id());
		this.provider.rdmaAccept(passive.id, PARAMETERS);
		awaitClientEvent();
		active.close();
		this.client.destroy(active.id);
		if (rules().acceptanceNeedsThePeer()) {
			assertThat(this.server.expect(CmEventType.REJECTED).status()).isIn(TIMED_OUT,
					rules().rejectedByApplication());
		}
		else {
			this.server.expect(CmEventType.ESTABLISHED);
			assertThat(this.server.expect(CmEventType.DISCONNECTED).status()).isZero();
		}
	}

	private void awaitClientEvent() {
		long waker = this.provider.createWaker();
		assertThat(this.provider.awaitCmEvent(this.client.channel(), waker, 20_000)).isTrue();
		this.provider.destroyWaker(waker);
	}

	@Test
	void connectingSideMayRejectTheReply() {
		long listener = listener(0);
		Endpoint helper = endpoint(resolved(addressOf(listener)));
		long id = resolved(addressOf(listener));
		this.provider.rdmaConnect(id, parametersOf(ownQueuePair(helper).qpNum()));
		Endpoint passive = endpoint(this.server.expect(CmEventType.CONNECT_REQUEST).id());
		passive.postReceive(1, 10);
		this.provider.rdmaAccept(passive.id, PARAMETERS);
		this.client.expect(rules().ownQueuePairsAreMovedByTheApplication() ? CmEventType.CONNECT_RESPONSE
				: CmEventType.ESTABLISHED);
		assertOutcome(rules().rejectionByTheConnectingSide(),
				() -> this.provider.rdmaReject(id, new byte[] { 'n', 'o' }));
		if (rules().rejectionByTheConnectingSide() != null) {
			this.server.expect(CmEventType.ESTABLISHED);
			return;
		}
		CmEventData rejected = this.server.expect(CmEventType.REJECTED);
		assertThat(rejected.status()).isEqualTo(rules().rejectedByApplication());
		assertThat(rejected.privateData()).hasSize(rules().rejectDataLength(2)).startsWith('n', 'o', 0);
		assertState(passive, QueuePairState.ERR);
		passive.expect(CompletionStatus.WR_FLUSH_ERR, 1);
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaEstablish(id));
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaReject(id, NO_DATA));
	}

	@Test
	void replyThatWasRejectedBeforeItWasFetchedIsAConnectError() {
		long listener = listener(0);
		Endpoint active = endpoint(resolved(addressOf(listener)));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		Endpoint passive = endpoint(this.server.expect(CmEventType.CONNECT_REQUEST).id());
		this.provider.rdmaAccept(passive.id, PARAMETERS);
		awaitClientEvent();
		assertOutcome(rules().rejectionByTheConnectingSide(), () -> this.provider.rdmaReject(active.id, NO_DATA));
		if (rules().rejectionByTheConnectingSide() != null) {
			this.client.expect(CmEventType.ESTABLISHED);
			this.server.expect(CmEventType.ESTABLISHED);
			return;
		}
		assertThat(this.server.expect(CmEventType.REJECTED).status()).isEqualTo(rules().rejectedByApplication());
		assertThat(this.client.expect(CmEventType.CONNECT_ERROR).status()).isEqualTo(-1);
		assertState(active, QueuePairState.ERR);
		this.client.expectSilence();
	}

	@Test
	void acceptingTwiceIsInvalid() {
		Connected connected = connect();
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaAccept(connected.passive().id, PARAMETERS));
	}

	@Test
	void rejectingWhatWasAcceptedIsInvalid() {
		Connected connected = connect();
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaReject(connected.passive().id, NO_DATA));
	}

}
