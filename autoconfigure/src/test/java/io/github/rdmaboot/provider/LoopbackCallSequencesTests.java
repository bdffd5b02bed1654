package io.github.rdmaboot.provider;

import org.junit.jupiter.api.Test;

/**
 * Tests that random sequences of calls bring on two loopback fabrics what the model says.
 */
class LoopbackCallSequencesTests {

	@Test
	void bringWhatTheModelSaysOnEachFabric() {
		LoopbackTransport one = new LoopbackTransport();
		LoopbackTransport other = new LoopbackTransport();
		try (RdmaProvider first = one.open(); RdmaProvider second = other.open()) {
			CallSequences.check(300, (commands) -> CallSequences.compare(CallRun.of(one, first, commands),
					CallRun.of(other, second, commands)));
		}
	}

}
