package io.github.rdmaboot.provider.jna;

import java.util.ArrayList;
import java.util.List;

import com.sun.jna.Callback;
import com.sun.jna.CallbackReference;
import com.sun.jna.Pointer;

/**
 * A device context in native memory whose functions are written in Java, with a queue of
 * each kind on it.
 */
final class FakeDriver implements AutoCloseable {

	private static final int CONTEXT_SIZE = 512;

	private static final int QUEUE_SIZE = 64;

	// Referred to for as long as their native counterparts are called.
	private final List<Callback> functions = new ArrayList<>();

	private final NativeBlock context = new NativeBlock(CONTEXT_SIZE);

	private final NativeBlock queue = new NativeBlock(QUEUE_SIZE);

	FakeDriver() {
		this.queue.putLong(QueuePairLayout.CONTEXT, this.context.address());
		this.queue.putLong(CompletionQueueLayout.CONTEXT, this.context.address());
		this.queue.putLong(SharedReceiveQueueLayout.CONTEXT, this.context.address());
	}

	/**
	 * Return the address of a queue pair, which is a completion queue and a shared
	 * receive queue too: all of them begin with their context.
	 * @return the address
	 */
	long queue() {
		return this.queue.address();
	}

	void onPost(int offset, Post function) {
		set(offset, function);
	}

	void onPoll(Poll function) {
		set(ContextLayout.POLL_CQ, function);
	}

	void onArm(Arm function) {
		set(ContextLayout.REQ_NOTIFY_CQ, function);
	}

	private void set(int offset, Callback function) {
		this.functions.add(function);
		this.context.putLong(offset, Pointer.nativeValue(CallbackReference.getFunctionPointer(function)));
	}

	@Override
	public void close() {
		this.queue.close();
		this.context.close();
	}

	interface Post extends Callback {

		int post(long queue, long requests, long bad);

	}

	interface Poll extends Callback {

		int poll(long queue, int count, long completions);

	}

	interface Arm extends Callback {

		int arm(long queue, int solicitedOnly);

	}

}
