package io.github.rdmaboot.provider.jna;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import io.github.rdmaboot.provider.RdmaUnavailableException;

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
	 * @throws RdmaUnavailableException when a library or one of its functions is missing
	 */
	static synchronized void bind() {
		if (bound) {
			return;
		}
		NativeLibrary verbs = load(Libibverbs.LIBRARY);
		NativeLibrary cm = load(Librdmacm.LIBRARY);
		bind(Libibverbs.class, verbs);
		bind(Librdmacm.class, cm);
		bound = true;
	}

	/**
	 * Load a library.
	 * @param name the file's name
	 * @return the library
	 */
	static NativeLibrary load(String name) {
		try {
			return NativeLibrary.getInstance(name);
		}
		catch (UnsatisfiedLinkError ex) {
			throw Unavailability.libraryMissing(name, ex);
		}
	}

	/**
	 * Bind the native methods of a class.
	 * @param functions the class
	 * @param library the library that has them
	 */
	static void bind(Class<?> functions, NativeLibrary library) {
		try {
			Native.register(functions, library);
		}
		catch (UnsatisfiedLinkError ex) {
			RdmaUnavailableException failure = Unavailability
				.libraryUnknown(library.getName() + ": " + ex.getMessage());
			failure.initCause(ex);
			throw failure;
		}
	}

}
