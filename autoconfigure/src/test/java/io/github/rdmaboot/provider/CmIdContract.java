package io.github.rdmaboot.provider;

import java.net.InetAddress;
import java.net.InetSocketAddress;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * CM ids before they connect: addresses, ports, options and the states in which calls are
 * legal.
 */
abstract class CmIdContract extends RdmaProviderContract {

	private static final InetSocketAddress GROUP = new InetSocketAddress(LoopbackTransport.of("239.1.2.3"), 0);

	CmIdContract(ContractTransport transport) {
		super(transport);
	}

	private long newId() {
		return this.client.newId(PortSpace.TCP);
	}

	private long boundId() {
		long id = newId();
		this.provider.rdmaBindAddr(id, address(0));
		return id;
	}

	private static InetSocketAddress wildcard(int port) {
		return new InetSocketAddress(port);
	}

	@Test
	void newIdIsBoundToNothing() {
		long id = newId();
		assertThat(this.provider.contextOf(id)).isZero();
		assertThat(this.provider.portNumOf(id)).isZero();
		assertThat(this.provider.rdmaGetSrcPort(id)).isZero();
		assertThat(this.provider.rdmaGetDstPort(id)).isZero();
		assertThat(this.provider.rdmaGetLocalAddr(id)).isNull();
		assertThat(this.provider.rdmaGetPeerAddr(id)).isNull();
	}

	@ParameterizedTest
	@EnumSource(value = PortSpace.class, names = { "TCP", "UDP" })
	void idOfEachPortSpaceIsCreatedAndDestroyed(PortSpace portSpace) {
		long id = this.client.newId(portSpace);
		this.client.destroy(id);
		this.client.expectSilence();
	}

	@Test
	void bindingToPortZeroTakesAnEphemeralPort() {
		long id = boundId();
		assertThat(this.provider.rdmaGetSrcPort(id)).isBetween(1024, 65535);
		assertThat(this.provider.rdmaGetLocalAddr(id)).isEqualTo(address(this.provider.rdmaGetSrcPort(id)));
	}

	@Test
	void bindingToADeviceAddressBindsToTheDevice() {
		long id = boundId();
		assertThat(this.provider.contextOf(id)).isNotZero();
		assertThat(this.provider.portNumOf(id)).isEqualTo(1);
	}

	@Test
	void idsOfOneDeviceShareItsContext() {
		assertThat(this.provider.contextOf(boundId())).isEqualTo(this.provider.contextOf(boundId()));
	}

	@Test
	void bindingToTheWildcardBindsToNoDevice() {
		long id = newId();
		this.provider.rdmaBindAddr(id, wildcard(0));
		assertThat(this.provider.contextOf(id)).isZero();
		assertThat(this.provider.rdmaGetSrcPort(id)).isPositive();
	}

	@Test
	void bindingToTheLoopbackAddressBindsToNoDevice() {
		long id = newId();
		this.provider.rdmaBindAddr(id, new InetSocketAddress("127.0.0.1", 0));
		assertThat(this.provider.contextOf(id)).isZero();
		assertThat(this.provider.rdmaGetSrcPort(id)).isPositive();
	}

	@Test
	void bindingTwiceIsInvalid() {
		long id = boundId();
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaBindAddr(id, address(0)));
		assertThat(this.provider.rdmaGetSrcPort(id)).isPositive();
	}

	@Test
	void foreignAddressIsNotAvailable() {
		long id = newId();
		assertErrno(Errno.EADDRNOTAVAIL,
				() -> this.provider.rdmaBindAddr(id, new InetSocketAddress(transport().withoutRoute(), 0)));
	}

	@Test
	void idMayBeBoundAfterAFailedBind() {
		long id = newId();
		assertErrno(Errno.EADDRNOTAVAIL,
				() -> this.provider.rdmaBindAddr(id, new InetSocketAddress(transport().withoutRoute(), 0)));
		this.provider.rdmaBindAddr(id, address(0));
		assertThat(this.provider.rdmaGetSrcPort(id)).isPositive();
	}

	@Test
	void portInUseOnTheSameAddressIsReported() {
		int port = this.provider.rdmaGetSrcPort(boundId());
		long other = newId();
		assertErrno(Errno.EADDRINUSE, () -> this.provider.rdmaBindAddr(other, address(port)));
	}

	@Test
	void portInUseByTheWildcardIsNotAvailable() {
		long id = newId();
		this.provider.rdmaBindAddr(id, wildcard(0));
		int port = this.provider.rdmaGetSrcPort(id);
		long other = newId();
		assertErrno(Errno.EADDRNOTAVAIL, () -> this.provider.rdmaBindAddr(other, address(port)));
	}

	@Test
	void wildcardIsNotAvailableWhereAnAddressHasThePort() {
		int port = this.provider.rdmaGetSrcPort(boundId());
		long other = newId();
		assertErrno(Errno.EADDRNOTAVAIL, () -> this.provider.rdmaBindAddr(other, wildcard(port)));
	}

	@Test
	void loopbackAddressCountsAsTheWildcardWhenPortsClash() {
		int port = this.provider.rdmaGetSrcPort(boundId());
		long other = newId();
		assertErrno(Errno.EADDRNOTAVAIL,
				() -> this.provider.rdmaBindAddr(other, new InetSocketAddress("127.0.0.1", port)));
	}

	@Test
	void portIsFreeAgainAfterDestroy() {
		long id = boundId();
		int port = this.provider.rdmaGetSrcPort(id);
		this.client.destroy(id);
		long next = newId();
		this.provider.rdmaBindAddr(next, address(port));
		assertThat(this.provider.rdmaGetSrcPort(next)).isEqualTo(port);
	}

	@Test
	void portSpacesDoNotClash() {
		int port = this.provider.rdmaGetSrcPort(boundId());
		long datagram = this.client.newId(PortSpace.UDP);
		this.provider.rdmaBindAddr(datagram, address(port));
		assertThat(this.provider.rdmaGetSrcPort(datagram)).isEqualTo(port);
	}

	@Test
	void reusedAddressMayBeBoundTwiceButHasOneListener() {
		long first = newId();
		this.provider.rdmaSetOption(first, CmIdOption.REUSEADDR, 1);
		this.provider.rdmaBindAddr(first, address(0));
		long second = newId();
		this.provider.rdmaSetOption(second, CmIdOption.REUSEADDR, 1);
		this.provider.rdmaBindAddr(second, address(this.provider.rdmaGetSrcPort(first)));
		assertErrno(Errno.EADDRINUSE, () -> this.provider.rdmaListen(second, 0));
	}

	@Test
	void listeningUnboundTakesTheWildcardAndAnEphemeralPort() {
		long id = newId();
		this.provider.rdmaListen(id, 0);
		assertThat(this.provider.rdmaGetSrcPort(id)).isPositive();
		assertThat(this.provider.contextOf(id)).isZero();
	}

	@Test
	void listeningTwiceIsInvalid() {
		long id = boundId();
		this.provider.rdmaListen(id, 1);
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaListen(id, 1));
	}

	@ParameterizedTest
	@ValueSource(ints = { -1, 0, 1, 1024, 100_000 })
	void anyBacklogIsTaken(int backlog) {
		long id = boundId();
		this.provider.rdmaListen(id, backlog);
		this.client.expectSilence();
	}

	@Test
	void listenerCannotResolve() {
		long id = boundId();
		this.provider.rdmaListen(id, 1);
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaResolveAddr(id, null, address(4000), 1000));
	}

	@Test
	void listenerCannotAcceptItself() {
		long id = boundId();
		this.provider.rdmaListen(id, 1);
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaReject(id, NO_DATA));
	}

	@Test
	void resolvingBindsToTheDeviceAndTheSource() {
		long id = newId();
		this.provider.rdmaResolveAddr(id, null, address(4000), 2000);
		CmEventData event = this.client.expect(CmEventType.ADDR_RESOLVED);
		assertThat(event.id()).isEqualTo(id);
		assertThat(event.listenId()).isZero();
		assertThat(event.status()).isZero();
		assertThat(this.provider.contextOf(id)).isNotZero();
		assertThat(this.provider.rdmaGetPeerAddr(id)).isEqualTo(address(4000));
		assertThat(this.provider.rdmaGetDstPort(id)).isEqualTo(4000);
		assertThat(this.provider.rdmaGetLocalAddr(id)).isEqualTo(address(this.provider.rdmaGetSrcPort(id)));
	}

	@Test
	void resolvingFromAGivenSourceKeepsIt() {
		long id = newId();
		this.provider.rdmaResolveAddr(id, address(0), address(4000), 2000);
		this.client.expect(CmEventType.ADDR_RESOLVED);
		InetSocketAddress local = this.provider.rdmaGetLocalAddr(id);
		assertThat(local).isNotNull();
		assertThat(local.getAddress()).isEqualTo(transport().address());
	}

	@Test
	void loopbackAddressLeadsToSomeDevice() {
		long id = newId();
		assertOutcome(rules().resolvingTheLoopbackAddress(),
				() -> this.provider.rdmaResolveAddr(id, null, new InetSocketAddress("127.0.0.1", 4000), 2000));
		if (rules().resolvingTheLoopbackAddress() == null) {
			this.client.expect(CmEventType.ADDR_RESOLVED);
			assertThat(this.provider.contextOf(id)).isNotZero();
			assertThat(this.provider.rdmaGetDstPort(id)).isEqualTo(4000);
		}
		this.client.expectSilence();
	}

	@Test
	void resolvingTwiceIsInvalid() {
		long id = newId();
		this.provider.rdmaResolveAddr(id, null, address(4000), 2000);
		this.client.expect(CmEventType.ADDR_RESOLVED);
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaResolveAddr(id, null, address(4000), 2000));
	}

	@Test
	void destinationWithoutARouteFailsAtOnce() {
		long id = newId();
		assertErrno(Errno.ENETUNREACH, () -> this.provider.rdmaResolveAddr(id, null,
				new InetSocketAddress(transport().withoutRoute(), 4000), 1000));
		this.client.expectSilence();
	}

	@Test
	void boundIdLooksForWhatItHasNoRouteToBehindItsDevice() {
		long id = boundId();
		this.provider.rdmaResolveAddr(id, null, new InetSocketAddress(transport().withoutRoute(), 4000), 100);
		// Which of them comes is up to the network device.
		assertThat(this.client.fetchAndAcknowledge()).isIn(CmEventType.ADDR_RESOLVED, CmEventType.ADDR_ERROR);
	}

	@Test
	void idMayResolveAfterAFailedResolution() {
		long id = newId();
		assertErrno(Errno.ENETUNREACH, () -> this.provider.rdmaResolveAddr(id, null,
				new InetSocketAddress(transport().withoutRoute(), 4000), 1000));
		resolve(id, address(4000));
		assertThat(this.provider.contextOf(id)).isNotZero();
	}

	@Test
	void familyOfTheDestinationMustBeThatOfTheSource() throws Exception {
		long id = boundId();
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaResolveAddr(id, null,
				new InetSocketAddress(InetAddress.getByName("::1"), 4000), 1000));
	}

	@Test
	void routeNeedsATimeLimit() {
		long id = newId();
		this.provider.rdmaResolveAddr(id, null, address(4000), 2000);
		this.client.expect(CmEventType.ADDR_RESOLVED);
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaResolveRoute(id, 0));
	}

	@Test
	void connectingBeforeTheRouteIsInvalid() {
		long id = newId();
		this.provider.rdmaResolveAddr(id, null, address(4000), 2000);
		this.client.expect(CmEventType.ADDR_RESOLVED);
		endpoint(id);
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaConnect(id, PARAMETERS));
	}

	@Test
	void routeCannotBeResolvedTwice() {
		long id = resolved(address(4000));
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaResolveRoute(id, 1000));
	}

	@Test
	void boundIdCannotAccept() {
		long id = boundId();
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaReject(id, NO_DATA));
	}

	@Test
	void disconnectingWhatNeverConnectedIsInvalid() {
		long id = resolved(address(4000));
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaDisconnect(id));
	}

	@Test
	void idCanBeDestroyedWhileItResolves() {
		long id = newId();
		this.provider.rdmaResolveAddr(id, null, address(4000), 2000);
		this.client.destroy(id);
		this.client.expectSilence();
	}

	@ParameterizedTest
	@CsvSource({ "TOS, 0", "TOS, 255", "REUSEADDR, 0", "REUSEADDR, 1", "AFONLY, 0", "AFONLY, 1", "ACK_TIMEOUT, 1",
			"ACK_TIMEOUT, 21", "ACK_TIMEOUT, 31" })
	void newIdTakesEachOption(CmIdOption option, int value) {
		long id = newId();
		this.provider.rdmaSetOption(id, option, value);
		this.provider.rdmaBindAddr(id, address(0));
		assertThat(this.provider.rdmaGetSrcPort(id)).isPositive();
	}

	@Test
	void addressFamilyOnlyIsInvalidAfterResolution() {
		long id = resolved(address(4000));
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaSetOption(id, CmIdOption.AFONLY, 1));
	}

	@Test
	void reliableIdCannotJoinAGroup() {
		long id = resolved(address(4000));
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaJoinMulticast(id, GROUP, 0));
	}

	@Test
	void unboundIdCannotJoinAGroup() {
		long id = this.client.newId(PortSpace.UDP);
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaJoinMulticast(id, GROUP, 0));
	}

	@Test
	void acknowledgementTimeoutIsForReliableConnectionsOnly() {
		long id = this.client.newId(PortSpace.UDP);
		assertErrno(Errno.EINVAL, () -> this.provider.rdmaSetOption(id, CmIdOption.ACK_TIMEOUT, 5));
	}

	@ParameterizedTest
	@EnumSource(value = CmEventType.class,
			names = { "ADDR_RESOLVED", "CONNECT_REQUEST", "DISCONNECTED", "TIMEWAIT_EXIT" })
	void eventsHaveTheirNamesOfC(CmEventType type) {
		assertThat(this.provider.rdmaEventStr(type.value())).isEqualTo("RDMA_CM_EVENT_" + type.name());
	}

	@Test
	void unknownEventHasAText() {
		assertThat(this.provider.rdmaEventStr(99)).isEqualTo("UNKNOWN EVENT");
	}

}
