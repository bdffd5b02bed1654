package io.github.rdmaboot.provider;

/**
 * Tests that the loopback keeps the {@link CompletionQueueContract}.
 */
class LoopbackCompletionQueueTests extends CompletionQueueContract {

	LoopbackCompletionQueueTests() {
		super(new LoopbackTransport());
	}

}
