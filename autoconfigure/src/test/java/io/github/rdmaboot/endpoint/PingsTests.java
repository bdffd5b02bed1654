package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The protocol of {@code rping} between two endpoints of our own.
 */
class PingsTests {

	@Test
	void textOfAPingIsItsNumberAndLetters() {
		assertThat(new String(Pings.text(0, 26), StandardCharsets.US_ASCII)).isEqualTo("rdma-ping-0: ABCDEFGHIJKL\0");
		assertThat(new String(Pings.text(57, 26), StandardCharsets.US_ASCII)).isEqualTo("rdma-ping-57: zABCDEFGHIJ\0");
		assertThat(new String(Pings.text(58, 26), StandardCharsets.US_ASCII)).isEqualTo("rdma-ping-58: ABCDEFGHIJK\0");
	}

	@ParameterizedTest
	@ValueSource(ints = { 64, 16 * 1024 })
	@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	void clientAndServerOfOursUnderstandEachOther(int size) throws Exception {
		LoopbackFabric fabric = new LoopbackFabric();
		fabric.addAddress(InetAddress.getByName("192.0.2.1"));
		try (RdmaEndpoints registry = CheckedEndpoints.create(() -> new LoopbackRdmaProvider(fabric),
				ShutdownSettings.defaults(), null)) {
			Pings.Server pings = new Pings.Server(size);
			registry.addServer(TestSettings.server("ping-server", "192.0.2.1", 7174)).onMessage(pings);
			RdmaClient client = registry.addClient(TestSettings.client("ping-client", "192.0.2.1", 7174,
					ClientStartup.LAZY, TestSettings.NO_RECONNECT));
			registry.start();
			Pings.ping(client.connection(), 100, size);
			assertThat(pings.wrong()).isEmpty();
			assertThat(pings.served()).isEqualTo(100);
		}
	}

}
