package io.github.rdmaboot.provider.jna;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

import org.jspecify.annotations.Nullable;

/**
 * Tells virtual threads, which come with Java 21, from others.
 */
final class VirtualThreads {

	private static final @Nullable MethodHandle IS_VIRTUAL = find();

	private VirtualThreads() {
	}

	private static @Nullable MethodHandle find() {
		try {
			return MethodHandles.publicLookup()
				.findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
		}
		catch (NoSuchMethodException | IllegalAccessException ex) {
			// A Java without virtual threads.
			return null;
		}
	}

	static boolean isVirtual(Thread thread) {
		if (IS_VIRTUAL == null) {
			return false;
		}
		try {
			return (boolean) IS_VIRTUAL.invokeExact(thread);
		}
		catch (Throwable ex) {
			throw new IllegalStateException("Thread.isVirtual failed", ex);
		}
	}

}
