package io.github.rdmaboot.provider;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Addresses of IPv6: global ones, the wildcard and those that are valid on one link only.
 */
abstract class Ipv6Contract extends RdmaProviderContract {

	private static final InetAddress ANY_IPV6 = LoopbackTransport.of("::");

	private static final InetAddress ANY_IPV4 = LoopbackTransport.of("0.0.0.0");

	Ipv6Contract(ContractTransport transport) {
		super(transport);
	}

	private long bound(InetAddress address, boolean ipv6Only) {
		long id = this.server.newId(PortSpace.TCP);
		if (ipv6Only) {
			this.provider.rdmaSetOption(id, CmIdOption.AFONLY, 1);
		}
		this.provider.rdmaBindAddr(id, new InetSocketAddress(address, 0));
		return id;
	}

	private int listenerOn(InetAddress address, boolean ipv6Only) {
		long id = bound(address, ipv6Only);
		this.provider.rdmaListen(id, 0);
		return this.provider.rdmaGetSrcPort(id);
	}

	private Connected connect(InetAddress destination, int port) {
		Endpoint active = endpoint(resolved(new InetSocketAddress(destination, port)));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		CmEventData request = this.server.expect(CmEventType.CONNECT_REQUEST);
		Endpoint passive = endpoint(request.id());
		this.provider.rdmaAccept(passive.id, PARAMETERS);
		this.client.expect(CmEventType.ESTABLISHED);
		this.server.expect(CmEventType.ESTABLISHED);
		return new Connected(request.listenId(), active, passive);
	}

	private void assertNobodyListens(InetAddress destination, int port, int reason) {
		Endpoint active = endpoint(resolved(new InetSocketAddress(destination, port)));
		assertOutcome(rules().connectingToNobody(), () -> this.provider.rdmaConnect(active.id, PARAMETERS));
		if (rules().connectingToNobody() == null) {
			assertThat(this.client.expect(CmEventType.REJECTED).status()).isEqualTo(reason);
		}
		this.server.expectSilence();
	}

	private static void assertMessageArrives(Connected connected) {
		connected.passive().postReceive(1, 100);
		connected.active().send(2, "over IPv6");
		connected.active().expect(CompletionStatus.SUCCESS, 2);
		connected.passive().expect(CompletionStatus.SUCCESS, 1);
		assertThat(connected.passive().received(9)).isEqualTo("over IPv6");
	}

	@Test
	void messageArrivesOverAGlobalAddress() {
		InetAddress address = transport().ipv6Address();
		assertMessageArrives(connect(address, listenerOn(address, false)));
	}

	@Test
	void bothSidesKnowTheirAddresses() {
		InetAddress address = transport().ipv6Address();
		int port = listenerOn(address, false);
		Connected connected = connect(address, port);
		long active = connected.active().id;
		long passive = connected.passive().id;
		InetSocketAddress client = new InetSocketAddress(address, this.provider.rdmaGetSrcPort(active));
		assertThat(this.provider.rdmaGetLocalAddr(active)).isEqualTo(client);
		assertThat(this.provider.rdmaGetPeerAddr(active)).isEqualTo(new InetSocketAddress(address, port));
		assertThat(this.provider.rdmaGetLocalAddr(passive)).isEqualTo(new InetSocketAddress(address, port));
		assertThat(this.provider.rdmaGetPeerAddr(passive)).isEqualTo(client);
	}

	@Test
	void wildcardTakesIpv6() {
		assertMessageArrives(connect(transport().ipv6Address(), listenerOn(ANY_IPV6, false)));
	}

	@Test
	void wildcardOfIpv6AloneTakesIpv6() {
		assertMessageArrives(connect(transport().ipv6Address(), listenerOn(ANY_IPV6, true)));
	}

	@Test
	void wildcardTakesIpv4AsItsTransportDoes() {
		int port = listenerOn(ANY_IPV6, false);
		if (rules().ipv6WildcardTakesIpv4()) {
			assertMessageArrives(connect(transport().address(), port));
			return;
		}
		Endpoint active = endpoint(resolved(address(port)));
		this.provider.rdmaConnect(active.id, PARAMETERS);
		assertThat(this.client.expect(CmEventType.REJECTED).status()).isEqualTo(rules().rejectedByApplication());
		this.server.expectSilence();
	}

	@Test
	void wildcardOfIpv6AloneDoesNotTakeIpv4() {
		assertNobodyListens(transport().address(), listenerOn(ANY_IPV6, true), rules().rejectedByOtherListeners());
	}

	@Test
	void wildcardOfIpv4DoesNotTakeIpv6() {
		assertNobodyListens(transport().ipv6Address(), listenerOn(ANY_IPV4, false), rules().rejectedByOtherListeners());
	}

	@Test
	void wildcardsOfBothFamiliesClashUnlessBothTakeTheirOwnAlone() {
		long ipv6 = bound(ANY_IPV6, false);
		int port = this.provider.rdmaGetSrcPort(ipv6);
		long ipv4 = this.server.newId(PortSpace.TCP);
		assertErrno(Errno.EADDRNOTAVAIL, () -> this.provider.rdmaBindAddr(ipv4, new InetSocketAddress(ANY_IPV4, port)));
		this.server.destroy(ipv6);
		long alone = bound(ANY_IPV6, true);
		int portAlone = this.provider.rdmaGetSrcPort(alone);
		this.provider.rdmaSetOption(ipv4, CmIdOption.AFONLY, 1);
		this.provider.rdmaBindAddr(ipv4, new InetSocketAddress(ANY_IPV4, portAlone));
		assertThat(this.provider.rdmaGetSrcPort(ipv4)).isEqualTo(portAlone);
	}

	@Test
	void foreignAddressIsNotAvailable() {
		assertErrno(Errno.EADDRNOTAVAIL, () -> bound(LoopbackTransport.of("2001:db8:77::1"), false));
	}

	@Test
	void destinationWithoutARouteFailsAtOnce() {
		long id = this.client.newId(PortSpace.TCP);
		assertErrno(Errno.ENETUNREACH, () -> this.provider.rdmaResolveAddr(id, null,
				new InetSocketAddress(LoopbackTransport.of("2001:db8:77::1"), 4000), 2000));
	}

	@Test
	void linkLocalAddressIsBoundWithItsScopeOnly() {
		Inet6Address scoped = transport().linkLocalAddress();
		assertErrno(Errno.EINVAL, () -> bound(withoutScope(scoped), false));
		InetSocketAddress local = this.provider.rdmaGetLocalAddr(bound(scoped, false));
		assertThat(local).isNotNull();
		assertThat(local.getAddress()).isInstanceOfSatisfying(Inet6Address.class, (address) -> {
			assertThat(address.getAddress()).isEqualTo(scoped.getAddress());
			assertThat(address.getScopeId()).isEqualTo(scoped.getScopeId());
		});
	}

	@Test
	void messageArrivesOverALinkLocalAddress() {
		Inet6Address scoped = transport().linkLocalAddress();
		assertMessageArrives(connect(scoped, listenerOn(scoped, false)));
	}

	@Test
	void wildcardTakesWhatComesOverALinkLocalAddress() {
		assertMessageArrives(connect(transport().linkLocalAddress(), listenerOn(ANY_IPV6, false)));
	}

	@Test
	void nobodyListeningOverIpv6IsRejectedAtOnce() {
		int port = this.provider.rdmaGetSrcPort(bound(transport().ipv6Address(), false));
		assertNobodyListens(transport().ipv6Address(), port, NO_LISTENER);
	}

	private static InetAddress withoutScope(Inet6Address address) {
		String text = address.getHostAddress();
		return LoopbackTransport.of(text.substring(0, text.indexOf('%')));
	}

}
