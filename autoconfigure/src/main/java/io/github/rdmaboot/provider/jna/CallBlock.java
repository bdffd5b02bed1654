package io.github.rdmaboot.provider.jna;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import org.jspecify.annotations.Nullable;

/**
 * What one thread at a time needs for calls on the data path: the calls themselves and
 * native memory for their arguments and results. Used again for each call, so a call
 * allocates nothing.
 */
final class CallBlock {

	private static final int ALIGNMENT = 64;

	private static final int OFTEN = 16;

	private final @Nullable Thread owner;

	private final FunctionCalls calls;

	private final SendRequestList sends = new SendRequestList();

	private final ReceiveRequestList receives = new ReceiveRequestList();

	private final CompletionArray completions = new CompletionArray();

	private final ByteBuffer bad = allocate(Long.BYTES);

	private final long badAddress = addressOf(this.bad);

	private int misses;

	// Without an owner, the block is lent for one call at a time.
	CallBlock(@Nullable Thread owner, FunctionCalls calls) {
		this.owner = owner;
		this.calls = calls;
	}

	boolean isOwnedBy(Thread thread) {
		return this.owner == thread;
	}

	boolean isLent() {
		return this.owner == null;
	}

	/**
	 * Return whether the block was looked for in vain often enough to be worth a place:
	 * threads that share a queue should not drive each other out at each call.
	 * @return whether it was
	 */
	boolean isMissedOften() {
		return ++this.misses % OFTEN == 0;
	}

	FunctionCalls calls() {
		return this.calls;
	}

	SendRequestList sends() {
		return this.sends;
	}

	ReceiveRequestList receives() {
		return this.receives;
	}

	CompletionArray completions() {
		return this.completions;
	}

	/**
	 * Post a list of work requests.
	 * @param function the function's address
	 * @param queue the queue
	 * @param requests the address of the first request
	 * @return what the function returned
	 */
	int post(long function, long queue, long requests) {
		this.bad.putLong(0, 0);
		return this.calls.post(function, queue, requests, this.badAddress);
	}

	/**
	 * Return the address of the first request that the last post did not take.
	 * @return the address, 0 when the function told none
	 */
	long bad() {
		return this.bad.getLong(0);
	}

	/**
	 * Allocate zeroed native memory that starts at a cache line.
	 * @param size the size in bytes
	 * @return the memory in native byte order
	 */
	static ByteBuffer allocate(int size) {
		// An aligned slice ends at a multiple too, so the size is rounded up.
		int room = Math.addExact(size, 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
		return ByteBuffer.allocateDirect(room).alignedSlice(ALIGNMENT).order(ByteOrder.nativeOrder());
	}

	/**
	 * Return the address of a direct buffer's first byte.
	 * @param buffer the buffer
	 * @return the address
	 */
	static long addressOf(ByteBuffer buffer) {
		return Pointer.nativeValue(Native.getDirectBufferPointer(buffer));
	}

}
