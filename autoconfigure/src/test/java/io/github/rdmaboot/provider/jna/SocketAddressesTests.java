package io.github.rdmaboot.provider.jna;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class SocketAddressesTests {

	@Test
	void anIpv4AddressIsEncodedInNetworkOrder() {
		try (NativeBlock block = SocketAddresses.encode(new InetSocketAddress("192.0.2.1", 0x1234))) {
			assertThat(RawMemory.getShort(block.address())).isEqualTo((short) 2);
			assertThat(block.getBytes(2, 6)).containsExactly(0x12, 0x34, 192, 0, 2, 1);
		}
	}

	@Test
	void addressesSurviveEncodingAndDecoding() throws UnknownHostException {
		assertSurvives(new InetSocketAddress("192.0.2.255", 65535));
		assertSurvives(new InetSocketAddress("0.0.0.0", 0));
		assertSurvives(new InetSocketAddress("2001:db8::1", 7471));
		InetAddress linkLocal = InetAddress.getByName("fe80::1");
		InetSocketAddress scoped = new InetSocketAddress(Inet6Address.getByAddress(null, linkLocal.getAddress(), 7), 1);
		assertSurvives(scoped);
		try (NativeBlock block = SocketAddresses.encode(scoped)) {
			InetSocketAddress decoded = SocketAddresses.decode(block.address());
			assertThat(((Inet6Address) decoded.getAddress()).getScopeId()).isEqualTo(7);
		}
	}

	@Test
	void anIpv4AddressInIpv6FormIsIpv4() {
		try (NativeBlock block = SocketAddresses.encode(new InetSocketAddress("::ffff:192.0.2.1", 1))) {
			assertThat(RawMemory.getShort(block.address())).isEqualTo((short) SocketAddresses.AF_INET);
		}
	}

	@Test
	void anAddressThatIsNotResolvedIsRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> SocketAddresses.encode(InetSocketAddress.createUnresolved("nowhere", 1)))
			.withMessageContaining("nowhere");
	}

	@Test
	void noAddressAndAddressesOfOtherFamiliesDecodeToNull() {
		assertThat(SocketAddresses.decode(0)).isNull();
		try (NativeBlock block = new NativeBlock(SockaddrIn6Layout.SIZE)) {
			assertThat(SocketAddresses.decode(block.address())).isNull();
			block.putShort(0, 27);
			assertThat(SocketAddresses.decode(block.address())).isNull();
		}
	}

	private static void assertSurvives(InetSocketAddress address) {
		try (NativeBlock block = SocketAddresses.encode(address)) {
			assertThat(SocketAddresses.decode(block.address())).isEqualTo(address);
		}
	}

}
