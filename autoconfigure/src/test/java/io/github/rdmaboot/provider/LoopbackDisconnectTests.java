package io.github.rdmaboot.provider;

import java.time.Duration;

import io.github.rdmaboot.provider.loopback.VirtualClock;

/**
 * Tests that the loopback keeps the {@link DisconnectContract}.
 */
class LoopbackDisconnectTests extends DisconnectContract {

	LoopbackDisconnectTests() {
		super(new LoopbackTransport());
	}

	@Override
	void passTimeWait() {
		try (VirtualClock clock = ((LoopbackTransport) transport()).fabric().useVirtualClock()) {
			clock.advance(Duration.ofSeconds(3));
		}
	}

}
