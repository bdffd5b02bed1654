package io.github.rdmaboot.provider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that random sequences of calls bring on the kernel what the model says and what
 * they bring on the loopback.
 */
class NativeCallSequencesIT {

	/** Enough to notice a change; more are for {@code -Drdma.test.sequences}. */
	private static final int SEQUENCES = 6;

	@Test
	@Timeout(1000)
	void bringOnTheKernelWhatTheModelSaysAndTheLoopbackDoes() {
		NativeTransport kernel = new NativeTransport();
		LoopbackTransport fabric = new LoopbackTransport();
		try (RdmaProvider first = kernel.open(); RdmaProvider second = fabric.open()) {
			CallSequences.check(SEQUENCES, (commands) -> CallSequences.compare(CallRun.of(kernel, first, commands),
					CallRun.of(fabric, second, commands)));
		}
	}

}
