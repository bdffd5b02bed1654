package io.github.rdmaboot.provider.jna;

import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Java's own calls of C functions; with Java 22 and newer in the place of the class of
 * this name that knows none.
 */
final class ForeignFunctions {

	private static final Logger logger = LoggerFactory.getLogger(ForeignFunctions.class);

	private ForeignFunctions() {
	}

	/**
	 * Return the calls, if this Java lets us have them.
	 * @return the calls, which are safe for any number of threads; {@code null} if native
	 * access is denied, or the platform unknown to Java
	 */
	static @Nullable FunctionCalls calls() {
		return isPermitted() ? ForeignFunctionCalls.INSTANCE : null;
	}

	// Asked by a call that needs permission, not of the module: from Java 24 to the
	// version that denies by default, the permission comes with a first warned use.
	@SuppressWarnings("restricted")
	private static boolean isPermitted() {
		try {
			Linker.nativeLinker();
			MemorySegment.NULL.reinterpret(Long.BYTES);
			return true;
		}
		catch (IllegalCallerException | UnsupportedOperationException ex) {
			logger.debug("No foreign function API on the data path: {}", ex.toString());
			return false;
		}
	}

}
