package io.github.rdmaboot.provider;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How connections begin: request, acceptance and rejection.
 */
abstract class ConnectContract extends RdmaProviderContract {

	ConnectContract(ContractTransport transport) {
		super(transport);
	}

	@Test
	void bothSidesAreEstablished() {
		Connected connected = connect();
		assertState(connected.active(), QueuePairState.RTS);
		assertState(connected.passive(), QueuePairState.RTS);
	}

	@Test
	void messageArrives() {
		Connected connected = connect();
		connected.passive().postReceive(7, 100);
		connected.active().send(8, "ping");
		connected.active().expect(CompletionStatus.SUCCESS, 8);
		WorkCompletion received = connected.passive().expect(CompletionStatus.SUCCESS, 7);
		assertThat(received.byteLength).isEqualTo(4);
		assertThat(connected.passive().received(4)).isEqualTo("ping");
	}

	@Test
	void requestIsReportedWithPaddedPrivateDataAndTheListener() {
		long listener = listener(0);
		Endpoint active = endpoint(resolved(addressOf(listener)));
		this.provider.rdmaConnect(active.id, parameters("hello".getBytes(StandardCharsets.UTF_8)));
		CmEventData request = this.server.expect(CmEventType.CONNECT_REQUEST);
		assertThat(request.listenId()).isEqualTo(listener);
		assertThat(request.id()).isNotEqualTo(listener);
		assertThat(request.status()).isZero();
		assertThat(request.privateData()).isEqualTo(padded("hello", rules().requestDataLength(5)));
		assertThat(request.qpNum()).isEqualTo(rules().reportedPeer(active.queuePair.qpNum()));
	}

	private static byte[] padded(String text, int length) {
		return Arrays.copyOf(text.getBytes(StandardCharsets.UTF_8), length);
	}

	@Test
	void acceptedChildIsBoundToTheDeviceAndKnowsBothAddresses() {
		Connected connected = connect();
		long child = connected.passive().id;
		assertThat(this.provider.portNumOf(child)).isEqualTo(1);
		assertThat(this.provider.rdmaGetSrcPort(child)).isEqualTo(this.provider.rdmaGetSrcPort(connected.listener()));
		assertThat(this.provider.rdmaGetDstPort(child)).isEqualTo(this.provider.rdmaGetSrcPort(connected.active().id));
		assertThat(this.provider.rdmaGetLocalAddr(child)).isEqualTo(addressOf(connected.listener()));
	}

	@Test
	void acceptanceBringsPaddedPrivateData() {
		long listener = listener(0);
		Endpoint active = endpoint(resolved(addressOf(listener)));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		Endpoint passive = endpoint(this.server.expect(CmEventType.CONNECT_REQUEST).id());
		this.provider.rdmaAccept(passive.id, parameters("welcome".getBytes(StandardCharsets.UTF_8)));
		CmEventData established = this.client.expect(CmEventType.ESTABLISHED);
		assertThat(established.privateData()).isEqualTo(padded("welcome", rules().replyDataLength(7)));
		assertThat(this.server.expect(CmEventType.ESTABLISHED).privateData()).isEmpty();
	}

	@Test
	void rejectionBringsPaddedPrivateDataAndMovesTheQueuePairToError() {
		long listener = listener(0);
		Endpoint active = endpoint(resolved(addressOf(listener)));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		long child = this.server.expect(CmEventType.CONNECT_REQUEST).id();
		this.provider.rdmaReject(child, "no".getBytes(StandardCharsets.UTF_8));
		CmEventData rejected = this.client.expect(CmEventType.REJECTED);
		assertThat(rejected.status()).isEqualTo(rules().rejectedByApplication());
		assertThat(rejected.privateData()).isEqualTo(padded("no", rules().rejectDataLength(2)));
		assertState(active, QueuePairState.ERR);
	}

	@Test
	void nobodyListeningIsRejectedAtOnce() {
		long listener = listener(0);
		Endpoint active = endpoint(resolved(addressOf(listener)));
		this.server.destroy(listener);
		assertOutcome(rules().connectingToNobody(), () -> this.provider.rdmaConnect(active.id, PARAMETERS));
		if (rules().connectingToNobody() == null) {
			CmEventData rejected = this.client.expect(CmEventType.REJECTED);
			assertThat(rejected.status()).isEqualTo(NO_LISTENER);
			assertThat(rejected.privateData()).hasSize(148);
		}
		this.client.expectSilence();
	}

	@Test
	void idIsNotReusableAfterRejection() {
		long listener = listener(0);
		Endpoint active = endpoint(resolved(addressOf(listener)));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		this.provider.rdmaReject(this.server.expect(CmEventType.CONNECT_REQUEST).id(), NO_DATA);
		this.client.expect(CmEventType.REJECTED);
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaConnect(active.id, PARAMETERS));
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 55, 56 })
	void requestTakesPrivateDataUpToItsLimit(int length) {
		byte[] data = new byte[length];
		Arrays.fill(data, (byte) 7);
		long listener = listener(0);
		Endpoint active = endpoint(resolved(addressOf(listener)));
		this.provider.rdmaConnect(active.id, parameters(data));
		assertThat(this.server.expect(CmEventType.CONNECT_REQUEST).privateData())
			.isEqualTo(Arrays.copyOf(data, rules().requestDataLength(length)));
	}

	@Test
	void requestWithTooMuchPrivateDataMayBeRepeatedWithLess() {
		long listener = listener(0);
		Endpoint active = endpoint(resolved(addressOf(listener)));
		int limit = rules().requestDataLimit();
		if (rules().refusesMorePrivateData()) {
			assertErrno(Errno.EINVAL, () -> this.provider.rdmaConnect(active.id, parameters(new byte[limit + 1])));
		}
		this.provider.rdmaConnect(active.id, parameters(new byte[limit]));
		assertThat(this.server.expect(CmEventType.CONNECT_REQUEST).privateData()).hasSize(limit);
	}

}
