package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.net.UnknownHostException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link AddressLiteral}.
 */
class AddressLiteralTests {

	@ParameterizedTest
	@ValueSource(strings = { "192.0.2.1", "0.0.0.0", "255.255.255.255", "2001:db8::1", "[2001:db8::1]", "::",
			"::ffff:192.0.2.1" })
	void anAddressIsRead(String text) throws UnknownHostException {
		assertThat(AddressLiteral.read(text)).isEqualTo(InetAddress.getByName(text));
	}

	@ParameterizedTest
	@ValueSource(strings = { "localhost", "peer.example.com", "300.1.1.1", "1.2.3.4.5", "1.2.3", "010.1.1.1", "7" })
	void whatTheNameServiceMayKnowIsNoAddress(String text) throws UnknownHostException {
		assertThat(AddressLiteral.read(text)).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "localhost:7471", "192.0.2.1:7471", "rdma://localhost", "[2001:db8::1]:7471",
			"[localhost:7471]", "2001:db8::1::2" })
	void whatHasAColonAndIsNoAddressIsNotLookedUp(String text) {
		assertThatExceptionOfType(UnknownHostException.class).isThrownBy(() -> AddressLiteral.read(text))
			.withMessageContaining("invalid IPv6 address");
	}

}
