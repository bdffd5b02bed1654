package io.github.rdmaboot.provider;

/**
 * Tests that the loopback keeps the {@link QueuePairContract}.
 */
class LoopbackQueuePairTests extends QueuePairContract {

	LoopbackQueuePairTests() {
		super(new LoopbackTransport());
	}

}
