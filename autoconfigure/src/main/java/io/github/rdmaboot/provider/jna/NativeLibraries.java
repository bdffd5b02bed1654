package io.github.rdmaboot.provider.jna;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/**
 * Loads the libraries and binds their functions, once per process. Guarded by the class'
 * lock.
 */
final class NativeLibraries {

	private static boolean bound;

	private NativeLibraries() {
	}

	/**
	 * Load the libraries and bind their functions, unless that was done before.
	 * @throws UnsatisfiedLinkError when a library or one of its functions is missing
	 */
	static synchronized void bind() {
		if (bound) {
			return;
		}
		NativeLibrary verbs = NativeLibrary.getInstance(Libibverbs.LIBRARY);
		NativeLibrary cm = NativeLibrary.getInstance(Librdmacm.LIBRARY);
		Native.register(Libc.class, NativeLibrary.getProcess());
		Native.register(Libibverbs.class, verbs);
		Native.register(Librdmacm.class, cm);
		bound = true;
	}

}
