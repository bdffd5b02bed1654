package io.github.rdmaboot.provider;

/**
 * Tests that the kernel keeps the {@link QueuePairContract}.
 */
class NativeQueuePairIT extends QueuePairContract {

	NativeQueuePairIT() {
		super(new NativeTransport());
	}

}
