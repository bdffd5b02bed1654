package io.github.rdmaboot.provider;

import java.net.InetSocketAddress;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Delivery of datagrams to multicast groups.
 */
@Needs(TransportRules.Capability.DATAGRAMS)
abstract class MulticastContract extends RdmaProviderContract {

	private static final int HEADER = 40;

	private static final int CM_QKEY = 0x01234567;

	private static final int MULTICAST_QP = 0xffffff;

	/** What the join is given and its events carry. */
	private static final long NUMBER = 0x1234_5678_9abcL;

	MulticastContract(ContractTransport transport) {
		super(transport);
	}

	private static InetSocketAddress group(String address) {
		return new InetSocketAddress(LoopbackTransport.of(address), 0);
	}

	private Endpoint boundEndpoint() {
		long id = this.client.newId(PortSpace.UDP);
		this.provider.rdmaBindAddr(id, address(0));
		return datagramEndpoint(id);
	}

	private Endpoint datagramEndpoint(long id) {
		return endpoint(new Endpoint(this.provider, id, QueuePairType.UD, new QueuePairCapabilities(16, 16, 2, 2, 64),
				1, false));
	}

	private Member member(InetSocketAddress group) {
		return join(boundEndpoint(), group, false);
	}

	private Member join(Endpoint endpoint, InetSocketAddress group, boolean sendOnly) {
		if (sendOnly) {
			this.provider.rdmaJoinMulticastEx(endpoint.id, group, true);
		}
		else {
			this.provider.rdmaJoinMulticast(endpoint.id, group, NUMBER);
		}
		CmEventData joined = this.client.expect(CmEventType.MULTICAST_JOIN);
		assertThat(joined.status()).isZero();
		closeLater(() -> leave(endpoint, group));
		return new Member(endpoint, joined);
	}

	private void leave(Endpoint endpoint, InetSocketAddress group) {
		try {
			this.provider.rdmaLeaveMulticast(endpoint.id, group);
		}
		catch (RdmaException ex) {
			// The test itself has left.
			assertThat(Errno.of(ex.errno())).isEqualTo(Errno.EADDRNOTAVAIL);
		}
	}

	private void send(Member from, int length) {
		AddressHandleAttributes path = from.joined().address();
		assertThat(path).isNotNull();
		long ah = this.provider.ibvCreateAh(from.endpoint().pd, path);
		closeLater(() -> this.provider.ibvDestroyAh(ah));
		SendWorkRequest request = from.endpoint().request(WorkRequestOpcode.SEND, 2, length);
		request.ah = ah;
		request.remoteQpNum = from.joined().qpNum();
		request.remoteQkey = from.joined().qkey();
		assertThat(from.endpoint().post(request)).isZero();
		from.endpoint().expect(CompletionStatus.SUCCESS, 2);
	}

	private void assertReceived(Member member, Member from, int length) {
		WorkCompletion received = member.endpoint().expect(CompletionStatus.SUCCESS, 1);
		assertThat(received.byteLength).isEqualTo(HEADER + length);
		assertThat(received.sourceQp).isEqualTo(from.endpoint().queuePair.qpNum());
	}

	@Test
	void joinTellsWhereToSendTo() {
		Member member = member(group("239.1.2.4"));
		assertThat(member.joined().qpNum()).isEqualTo(MULTICAST_QP);
		assertThat(member.joined().qkey()).isEqualTo(CM_QKEY);
		AddressHandleAttributes path = member.joined().address();
		assertThat(path).isNotNull();
		assertThat(path.global()).isTrue();
		assertThat(path.dgid()).hasSize(16).endsWith(239, 1, 2, 4);
		assertThat(member.joined().context()).isEqualTo(NUMBER);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 4 })
	void everyMemberReceivesWhatIsSent(int members) {
		InetSocketAddress group = group("239.1.2.5");
		Member sender = member(group);
		Member[] receivers = new Member[members];
		for (int i = 0; i < members; i++) {
			receivers[i] = member(group);
			receivers[i].endpoint().postReceive(1, 2000);
		}
		send(sender, 100);
		for (Member receiver : receivers) {
			assertReceived(receiver, sender, 100);
			receiver.endpoint().expectNoCompletion();
		}
	}

	@Test
	void senderReceivesWhatItSendsToItsGroup() {
		Member member = member(group("239.1.2.6"));
		member.endpoint().postReceive(1, 2000);
		AddressHandleAttributes path = member.joined().address();
		assertThat(path).isNotNull();
		long ah = this.provider.ibvCreateAh(member.endpoint().pd, path);
		closeLater(() -> this.provider.ibvDestroyAh(ah));
		SendWorkRequest request = member.endpoint().request(WorkRequestOpcode.SEND, 2, 5);
		request.flags = 0;
		request.ah = ah;
		request.remoteQpNum = MULTICAST_QP;
		request.remoteQkey = CM_QKEY;
		assertThat(member.endpoint().post(request)).isZero();
		assertReceived(member, member, 5);
	}

	@Test
	void otherGroupsReceiveNothing() {
		Member sender = member(group("239.1.2.7"));
		Member other = member(group("239.1.2.8"));
		Member same = member(group("239.1.2.7"));
		other.endpoint().postReceive(1, 2000);
		same.endpoint().postReceive(1, 2000);
		send(sender, 1);
		assertReceived(same, sender, 1);
		other.endpoint().expectNoCompletion();
	}

	@Test
	void whoLeftReceivesNothing() {
		InetSocketAddress group = group("239.1.2.9");
		Member sender = member(group);
		Member staying = member(group);
		Member leaving = member(group);
		staying.endpoint().postReceive(1, 2000);
		leaving.endpoint().postReceive(1, 2000);
		this.provider.rdmaLeaveMulticast(leaving.endpoint().id, group);
		send(sender, 3);
		assertReceived(staying, sender, 3);
		leaving.endpoint().expectNoCompletion();
	}

	@Test
	void whoJoinedToSendOnlyReceivesNothing() {
		InetSocketAddress group = group("239.1.2.10");
		Member sender = join(boundEndpoint(), group, true);
		Member member = member(group);
		sender.endpoint().postReceive(1, 2000);
		member.endpoint().postReceive(1, 2000);
		send(sender, 4);
		assertReceived(member, sender, 4);
		sender.endpoint().expectNoCompletion();
	}

	@Test
	void memberOfTwoGroupsReceivesFromBoth() {
		InetSocketAddress first = group("239.1.2.11");
		InetSocketAddress second = group("239.1.2.12");
		Member receiver = member(first);
		join(receiver.endpoint(), second, false);
		Member firstSender = member(first);
		Member secondSender = member(second);
		receiver.endpoint().postReceive(1, 2000);
		receiver.endpoint().postReceive(1, 2000);
		send(firstSender, 1);
		assertReceived(receiver, firstSender, 1);
		send(secondSender, 2);
		assertReceived(receiver, secondSender, 2);
	}

	@Test
	void attachedQueuePairIsBusy() {
		Member member = member(group("239.1.2.13"));
		assertErrno(Errno.EBUSY, () -> this.provider.ibvDestroyQp(member.endpoint().qp()));
	}

	@Test
	void datagramForOneIsNotForTheGroup() {
		InetSocketAddress group = group("239.1.2.14");
		Member sender = member(group);
		Member member = member(group);
		member.endpoint().postReceive(1, 2000);
		AddressHandleAttributes path = sender.joined().address();
		assertThat(path).isNotNull();
		send(new Member(sender.endpoint(),
				new CmEventData(0, 0, 0, 0, 0, NO_DATA, 0, 0, MULTICAST_QP, CM_QKEY + 1, path, 0)), 1);
		this.client.letTimePass();
		member.endpoint().expectNoCompletion();
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void groupsOfIpv6CannotBeJoined(boolean sendOnly) {
		long id = this.client.newId(PortSpace.UDP);
		this.provider.rdmaBindAddr(id, new InetSocketAddress(transport().ipv6Address(), 0));
		Endpoint endpoint = datagramEndpoint(id);
		assertErrno(Errno.ENOTSUPP, () -> join(endpoint, group("ff0e::1234"), sendOnly));
	}

	/**
	 * Member of a group.
	 *
	 * @param endpoint the member
	 * @param joined the event of its joining
	 */
	private record Member(Endpoint endpoint, CmEventData joined) {

	}

}
