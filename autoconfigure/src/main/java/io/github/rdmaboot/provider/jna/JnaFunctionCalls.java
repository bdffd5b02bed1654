package io.github.rdmaboot.provider.jna;

import java.nio.ByteBuffer;

/**
 * Calls through JNA and libffi, which work with any Java. The arguments and the result
 * are in native memory that is used again for each call.
 */
final class JnaFunctionCalls implements FunctionCalls {

	private static final int RESULT = 0;

	private static final int ARGUMENT_ADDRESSES = 8;

	private static final int FIRST = 32;

	private static final int SECOND = 40;

	private static final int THIRD = 48;

	private static final int SIZE = 56;

	private final ByteBuffer cells = CallBlock.allocate(SIZE);

	private final long result;

	private final long arguments;

	JnaFunctionCalls() {
		long address = CallBlock.addressOf(this.cells);
		this.result = address + RESULT;
		this.arguments = address + ARGUMENT_ADDRESSES;
		this.cells.putLong(ARGUMENT_ADDRESSES, address + FIRST);
		this.cells.putLong(ARGUMENT_ADDRESSES + Long.BYTES, address + SECOND);
		this.cells.putLong(ARGUMENT_ADDRESSES + 2 * Long.BYTES, address + THIRD);
	}

	@Override
	public int post(long function, long queue, long requests, long bad) {
		this.cells.putLong(FIRST, queue);
		this.cells.putLong(SECOND, requests);
		this.cells.putLong(THIRD, bad);
		return call(FunctionSignature.POINTER_POINTER_POINTER, function);
	}

	@Override
	public int poll(long function, long queue, int count, long completions) {
		this.cells.putLong(FIRST, queue);
		this.cells.putInt(SECOND, count);
		this.cells.putLong(THIRD, completions);
		return call(FunctionSignature.POINTER_INT_POINTER, function);
	}

	@Override
	public int arm(long function, long queue, int solicitedOnly) {
		this.cells.putLong(FIRST, queue);
		this.cells.putInt(SECOND, solicitedOnly);
		return call(FunctionSignature.POINTER_INT, function);
	}

	private int call(FunctionSignature signature, long function) {
		signature.call(function, this.result, this.arguments);
		// libffi widens the result to a register, on machines of either byte order.
		return (int) this.cells.getLong(RESULT);
	}

	@Override
	public long pointerAt(long address) {
		return RawMemory.getLong(address);
	}

}
