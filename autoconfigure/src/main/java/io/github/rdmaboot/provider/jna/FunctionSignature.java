package io.github.rdmaboot.provider.jna;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import com.sun.jna.Native;

/**
 * Signature of a C function that is called through its address, prepared once for libffi.
 * <p>
 * libffi's own type descriptors are out of reach, so they are built here; they and the
 * prepared signatures stay allocated as long as the process lives.
 */
enum FunctionSignature {

	/** {@code int f(void *, void *, void *)}. */
	POINTER_POINTER_POINTER(Type.POINTER, Type.POINTER, Type.POINTER),

	/** {@code int f(void *, int, void *)}. */
	POINTER_INT_POINTER(Type.POINTER, Type.INT, Type.POINTER),

	/** {@code int f(void *, int)}. */
	POINTER_INT(Type.POINTER, Type.INT);

	private static final int DEFAULT_ABI = 0;

	private final long prepared;

	FunctionSignature(Type... argumentTypes) {
		long array = Native.malloc((long) Long.BYTES * argumentTypes.length);
		for (int i = 0; i < argumentTypes.length; i++) {
			RawMemory.putLong(array + (long) Long.BYTES * i, argumentTypes[i].descriptor);
		}
		this.prepared = Native.ffi_prep_cif(DEFAULT_ABI, argumentTypes.length, Type.INT.descriptor, array);
	}

	/**
	 * Call a function.
	 * @param function the function's address
	 * @param result the address of 8 bytes for what it returns
	 * @param arguments the address of the array of the addresses of its arguments
	 */
	void call(long function, long result, long arguments) {
		Native.ffi_call(this.prepared, function, result, arguments);
	}

	private enum Type {

		/** A signed 32-bit number; libffi's type 10. */
		INT(Integer.BYTES, 10),

		/** A pointer; libffi's type 14. */
		POINTER(Long.BYTES, 14);

		private static final int DESCRIPTOR_SIZE = 24;

		private final long descriptor;

		Type(int size, int number) {
			ByteBuffer content = ByteBuffer.allocate(DESCRIPTOR_SIZE).order(ByteOrder.nativeOrder());
			content.putLong(size).putShort((short) size).putShort((short) number);
			this.descriptor = Native.malloc(DESCRIPTOR_SIZE);
			RawMemory.putBytes(this.descriptor, content.array());
		}

	}

}
