package io.github.rdmaboot.provider;

import java.time.Duration;

import io.github.rdmaboot.provider.loopback.VirtualClock;

/**
 * Tests that the loopback keeps the {@link ConnectLimitContract}.
 */
class LoopbackConnectLimitTests extends ConnectLimitContract {

	LoopbackConnectLimitTests() {
		super(new LoopbackTransport());
	}

	@Override
	void passConnectLimit() {
		try (VirtualClock clock = ((LoopbackTransport) transport()).fabric().useVirtualClock()) {
			clock.advance(Duration.ofSeconds(110));
		}
	}

}
