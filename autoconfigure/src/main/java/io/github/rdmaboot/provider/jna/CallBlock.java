package io.github.rdmaboot.provider.jna;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import com.sun.jna.Native;
import com.sun.jna.Pointer;

/**
 * Native memory in which one thread places the arguments of calls through function
 * pointers and finds their results. Used again for each call, so a call allocates
 * nothing.
 */
final class CallBlock {

	private static final int ALIGNMENT = 64;

	private static final int RESULT = 0;

	private static final int ARGUMENT_ADDRESSES = 8;

	private static final int FIRST = 32;

	private static final int SECOND = 40;

	private static final int THIRD = 48;

	private static final int OUTPUT = 56;

	private static final int SIZE = 64;

	private final ByteBuffer cells = allocate(SIZE);

	private final long address = addressOf(this.cells);

	private final SendRequestList sends = new SendRequestList();

	private final ReceiveRequestList receives = new ReceiveRequestList();

	private final CompletionArray completions = new CompletionArray();

	CallBlock() {
		this.cells.putLong(ARGUMENT_ADDRESSES, this.address + FIRST);
		this.cells.putLong(ARGUMENT_ADDRESSES + Long.BYTES, this.address + SECOND);
		this.cells.putLong(ARGUMENT_ADDRESSES + 2 * Long.BYTES, this.address + THIRD);
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
	 * Call {@code int f(first, second, &output)}.
	 * @param function the function's address
	 * @param first the first argument
	 * @param second the second argument
	 * @return what the function returned
	 */
	int callWithOutput(long function, long first, long second) {
		this.cells.putLong(FIRST, first);
		this.cells.putLong(SECOND, second);
		this.cells.putLong(THIRD, this.address + OUTPUT);
		this.cells.putLong(OUTPUT, 0);
		return call(FunctionSignature.POINTER_POINTER_POINTER, function);
	}

	/**
	 * Return the pointer that the last call with an output wrote.
	 * @return the pointer, 0 when it wrote none
	 */
	long output() {
		return this.cells.getLong(OUTPUT);
	}

	/**
	 * Call {@code int f(void *first, void *second, void *third)}.
	 * @param function the function's address
	 * @param first the first argument
	 * @param second the second argument
	 * @param third the third argument
	 * @return what the function returned
	 */
	int call(long function, long first, long second, long third) {
		this.cells.putLong(FIRST, first);
		this.cells.putLong(SECOND, second);
		this.cells.putLong(THIRD, third);
		return call(FunctionSignature.POINTER_POINTER_POINTER, function);
	}

	/**
	 * Call {@code int f(void *first, int second, void *third)}.
	 * @param function the function's address
	 * @param first the first argument
	 * @param second the second argument
	 * @param third the third argument
	 * @return what the function returned
	 */
	int call(long function, long first, int second, long third) {
		this.cells.putLong(FIRST, first);
		this.cells.putInt(SECOND, second);
		this.cells.putLong(THIRD, third);
		return call(FunctionSignature.POINTER_INT_POINTER, function);
	}

	/**
	 * Call {@code int f(void *first, int second)}.
	 * @param function the function's address
	 * @param first the first argument
	 * @param second the second argument
	 * @return what the function returned
	 */
	int call(long function, long first, int second) {
		this.cells.putLong(FIRST, first);
		this.cells.putInt(SECOND, second);
		return call(FunctionSignature.POINTER_INT, function);
	}

	private int call(FunctionSignature signature, long function) {
		signature.call(function, this.address + RESULT, this.address + ARGUMENT_ADDRESSES);
		// libffi widens the result to a register, on machines of either byte order.
		return (int) this.cells.getLong(RESULT);
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
