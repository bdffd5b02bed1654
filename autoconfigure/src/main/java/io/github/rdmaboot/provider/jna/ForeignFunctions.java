package io.github.rdmaboot.provider.jna;

import org.jspecify.annotations.Nullable;

/**
 * Java's own calls of C functions, which come with Java 22: there the class of this name
 * under {@code META-INF/versions/22} takes the place of this one.
 */
final class ForeignFunctions {

	private ForeignFunctions() {
	}

	/**
	 * Return the calls, if this Java has them.
	 * @return the calls, which are safe for any number of threads; {@code null} if this
	 * Java or this build of the library has none
	 */
	static @Nullable FunctionCalls calls() {
		return null;
	}

}
