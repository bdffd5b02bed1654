package io.github.rdmaboot.provider;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Translation of names and services into addresses, as far as it does not depend on the
 * name service of the host.
 */
abstract class AddressInfoContract extends RdmaProviderContract {

	private static final int PASSIVE = 1;

	private static final int NUMERIC_HOST = 2;

	AddressInfoContract(ContractTransport transport) {
		super(transport);
	}

	private List<AddressInfo> translate(InetAddress node, int flags) {
		return this.provider.rdmaGetaddrinfo(node.getHostAddress(), "7471", flags, PortSpace.TCP);
	}

	@ParameterizedTest
	@EnumSource(value = PortSpace.class, names = { "TCP", "UDP" })
	void literalAddressAndPortAreADestination(PortSpace portSpace) {
		assertThat(this.provider.rdmaGetaddrinfo(transport().address().getHostAddress(), "7471", 0, portSpace))
			.containsExactly(new AddressInfo(null, address(7471)));
	}

	@Test
	void literalIpv6AddressIsADestination() {
		assertThat(translate(transport().ipv6Address(), NUMERIC_HOST))
			.containsExactly(new AddressInfo(null, new InetSocketAddress(transport().ipv6Address(), 7471)));
	}

	@Test
	void passiveSideGetsASource() {
		assertThat(translate(transport().address(), PASSIVE)).containsExactly(new AddressInfo(address(7471), null));
	}

	@Test
	void passiveSideWithoutANodeGetsTheWildcard() {
		List<AddressInfo> infos = this.provider.rdmaGetaddrinfo(null, "7471", PASSIVE, PortSpace.TCP);
		assertThat(infos).isNotEmpty().allSatisfy((info) -> {
			assertThat(info.destination()).isNull();
			assertThat(info.source()).isNotNull();
			assertThat(info.source().getAddress().isAnyLocalAddress()).isTrue();
			assertThat(info.source().getPort()).isEqualTo(7471);
		});
	}

	@Test
	void withoutAServiceThePortIsZero() {
		assertThat(this.provider.rdmaGetaddrinfo(transport().address().getHostAddress(), null, 0, PortSpace.TCP))
			.containsExactly(new AddressInfo(null, address(0)));
	}

	@ParameterizedTest
	@CsvSource({ "not-an-address, 7471, ENOENT", "192.0.2.300, 7471, ENOENT", "192.0.2.1, no-such-service, EINVAL" })
	void unknownNamesAreReported(String node, String service, Errno errno) {
		assertErrno(errno, () -> this.provider.rdmaGetaddrinfo(node, service, NUMERIC_HOST, PortSpace.TCP));
	}

	@Test
	void neitherNodeNorServiceLeavesTheAddressesOpen() {
		assertThat(this.provider.rdmaGetaddrinfo(null, null, 0, PortSpace.TCP))
			.containsExactly(new AddressInfo(null, null));
	}

	@Test
	void translatedAddressLeadsToTheListener() {
		long listener = listener(0);
		AddressInfo info = this.provider
			.rdmaGetaddrinfo(transport().address().getHostAddress(),
					Integer.toString(this.provider.rdmaGetSrcPort(listener)), 0, PortSpace.TCP)
			.get(0);
		assertThat(info.destination()).isNotNull();
		this.provider.rdmaConnect(endpoint(resolved(info.destination())).id, PARAMETERS);
		assertThat(this.server.expect(CmEventType.CONNECT_REQUEST).listenId()).isEqualTo(listener);
	}

}
