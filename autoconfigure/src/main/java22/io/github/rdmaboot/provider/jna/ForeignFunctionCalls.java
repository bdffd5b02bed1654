package io.github.rdmaboot.provider.jna;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

import org.jspecify.annotations.Nullable;

/**
 * Calls through the foreign function API, safe for any number of threads.
 * <p>
 * Pointers are passed as numbers, which costs no segment each. None of the calls is
 * {@linkplain Linker.Option#critical critical}: a driver may take locks and, as soft-RoCE
 * does, enter the kernel, and a garbage collection would wait for as long.
 */
final class ForeignFunctionCalls implements FunctionCalls {

	static final FunctionCalls INSTANCE = new ForeignFunctionCalls();

	// Constants, so that the compiler makes each call one of its own.
	private static final MethodHandle POST = handle(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
			ValueLayout.JAVA_LONG);

	private static final MethodHandle POLL = handle(ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG);

	private static final MethodHandle ARM = handle(ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT);

	@SuppressWarnings("restricted")
	private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

	/** Enough for the few functions of each driver that a process uses. */
	private static final int TARGETS = 64;

	/**
	 * Functions as the linker wants them, so that a call makes no object even before it
	 * is compiled. Threads may overwrite each other's entries, which are immutable.
	 */
	private final @Nullable Target[] targets = new Target[TARGETS];

	private ForeignFunctionCalls() {
	}

	@SuppressWarnings("restricted")
	private static MethodHandle handle(ValueLayout... arguments) {
		return Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments));
	}

	@Override
	public int post(long function, long queue, long requests, long bad) {
		try {
			return (int) POST.invokeExact(target(function), queue, requests, bad);
		}
		catch (Throwable ex) {
			throw unexpected(ex);
		}
	}

	@Override
	public int poll(long function, long queue, int count, long completions) {
		try {
			return (int) POLL.invokeExact(target(function), queue, count, completions);
		}
		catch (Throwable ex) {
			throw unexpected(ex);
		}
	}

	@Override
	public int arm(long function, long queue, int solicitedOnly) {
		try {
			return (int) ARM.invokeExact(target(function), queue, solicitedOnly);
		}
		catch (Throwable ex) {
			throw unexpected(ex);
		}
	}

	@Override
	public long pointerAt(long address) {
		return MEMORY.get(ValueLayout.JAVA_LONG, address);
	}

	private MemorySegment target(long function) {
		int first = (int) (function >>> 4);
		// Functions that meet in one place must not take it from each other in turns.
		for (int i = 0; i < TARGETS; i++) {
			int index = (first + i) & (TARGETS - 1);
			Target target = this.targets[index];
			if (target == null) {
				target = new Target(function, MemorySegment.ofAddress(function));
				this.targets[index] = target;
				return target.segment;
			}
			if (target.address == function) {
				return target.segment;
			}
		}
		return MemorySegment.ofAddress(function);
	}

	// A C function throws nothing; errors of the JVM pass as they are.
	private static RuntimeException unexpected(Throwable thrown) {
		if (thrown instanceof Error error) {
			throw error;
		}
		return (thrown instanceof RuntimeException exception) ? exception : new IllegalStateException(thrown);
	}

	/**
	 * Function with its address.
	 *
	 * @param address the address
	 * @param segment the address as the linker wants it
	 */
	private record Target(long address, MemorySegment segment) {

	}

}
