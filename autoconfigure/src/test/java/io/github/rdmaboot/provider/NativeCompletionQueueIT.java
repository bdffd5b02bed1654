package io.github.rdmaboot.provider;

/**
 * Tests that the kernel keeps the {@link CompletionQueueContract}.
 */
class NativeCompletionQueueIT extends CompletionQueueContract {

	NativeCompletionQueueIT() {
		super(new NativeTransport());
	}

}
