package io.github.rdmaboot.provider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Enhanced connection establishment, and what else an application may tell the CM about a
 * connection whose queue pair it manages itself.
 */
abstract class EceContract extends RdmaProviderContract {

	private static final int VENDOR_OPTION_NOT_SUPPORTED = 35;

	private static final int COMMUNICATION_ESTABLISHED = 4;

	private static final int PATH_MIGRATED = 6;

	private static final ConnectionEce NONE = new ConnectionEce(0, 0);

	EceContract(ContractTransport transport) {
		super(transport);
	}

	@ParameterizedTest
	@CsvSource({ "5555, 4660", "1, 0", "16777215, -1" })
	void optionsOfTheRequestArrive(int vendorId, int options) {
		ConnectionEce ece = new ConnectionEce(vendorId, options);
		long listener = listener(0);
		Endpoint helper = endpoint(resolved(addressOf(listener)));
		long id = resolved(addressOf(listener));
		this.provider.rdmaSetLocalEce(id, ece);
		this.provider.rdmaConnect(id, parametersOf(ownQueuePair(helper).qpNum()));
		long child = this.server.expect(CmEventType.CONNECT_REQUEST).id();
		assertThat(this.provider.rdmaGetRemoteEce(child)).isEqualTo(rules().received(ece));
		assertThat(this.provider.rdmaGetRemoteEce(id)).isEqualTo(NONE);
		this.provider.rdmaReject(child, NO_DATA);
		this.client.expect(CmEventType.REJECTED);
	}

	@ParameterizedTest
	@CsvSource({ "5555, 1", "16777215, -1" })
	void optionsOfTheReplyArrive(int vendorId, int options) {
		ConnectionEce ece = new ConnectionEce(vendorId, options);
		long listener = listener(0);
		Endpoint helper = endpoint(resolved(addressOf(listener)));
		long id = resolved(addressOf(listener));
		this.provider.rdmaConnect(id, parametersOf(ownQueuePair(helper).qpNum()));
		long child = this.server.expect(CmEventType.CONNECT_REQUEST).id();
		assertThat(this.provider.rdmaGetRemoteEce(child)).isEqualTo(NONE);
		this.provider.rdmaSetLocalEce(child, ece);
		this.provider.rdmaAccept(child, parametersOf(ownQueuePair(helper).qpNum()));
		this.client.expect(rules().ownQueuePairsAreMovedByTheApplication() ? CmEventType.CONNECT_RESPONSE
				: CmEventType.ESTABLISHED);
		assertThat(this.provider.rdmaGetRemoteEce(id)).isEqualTo(rules().receivedInTheReply(ece));
	}

	@Test
	void optionsNeedAVendor() {
		long id = resolved(address(4000));
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaSetLocalEce(id, new ConnectionEce(0, 5)));
	}

	@Test
	void optionsAreForQueuePairsOfTheApplicationOnly() {
		Endpoint endpoint = endpoint(resolved(address(4000)));
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaSetLocalEce(endpoint.id, new ConnectionEce(5555, 5)));
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaGetRemoteEce(endpoint.id));
	}

	@Test
	void rejectionOfTheOptionsHasAReasonOfItsOwn() {
		long listener = listener(0);
		Endpoint helper = endpoint(resolved(addressOf(listener)));
		long id = resolved(addressOf(listener));
		this.provider.rdmaSetLocalEce(id, new ConnectionEce(5555, 5));
		this.provider.rdmaConnect(id, parametersOf(ownQueuePair(helper).qpNum()));
		this.provider.rdmaRejectEce(this.server.expect(CmEventType.CONNECT_REQUEST).id(), new byte[] { 3 });
		CmEventData rejected = this.client.expect(CmEventType.REJECTED);
		assertThat(rejected.status()).isEqualTo(rules().rejectedFor(VENDOR_OPTION_NOT_SUPPORTED));
		assertThat(rejected.privateData()).hasSize(rules().rejectDataLength(1)).startsWith(3);
	}

	@Test
	void tellingThatCommunicationIsEstablishedIsTooLateOnceItIs() {
		Connected connected = connect();
		assertOutcome(rules().notifyingWhenEstablished(),
				() -> this.provider.rdmaNotify(connected.passive().id, COMMUNICATION_ESTABLISHED));
		assertOutcome(rules().notifyingWhenEstablished(),
				() -> this.provider.rdmaNotify(connected.active().id, COMMUNICATION_ESTABLISHED));
	}

	@Test
	void tellingOfOtherEventsIsForPathsOnly() {
		Connected connected = connect();
		assertOutcome(rules().notifyingOfOtherEvents(),
				() -> this.provider.rdmaNotify(connected.passive().id, TransportRules.SQ_DRAINED));
	}

	@Test
	void tellingThatThePathMigratedIsTakenWhenEstablished() {
		Connected connected = connect();
		this.provider.rdmaNotify(connected.passive().id, PATH_MIGRATED);
	}

	@Test
	void tellingOfAnEventNeedsAConnection() {
		long id = resolved(address(4000));
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaNotify(id, COMMUNICATION_ESTABLISHED));
	}

	@Test
	void tellingThatCommunicationIsEstablishedNeedsAnAcceptance() {
		long listener = listener(0);
		Endpoint active = endpoint(resolved(addressOf(listener)));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		long child = this.server.expect(CmEventType.CONNECT_REQUEST).id();
		assertOutcome(rules().notifyingOfOtherEvents(),
				() -> this.provider.rdmaNotify(child, COMMUNICATION_ESTABLISHED));
	}

}
