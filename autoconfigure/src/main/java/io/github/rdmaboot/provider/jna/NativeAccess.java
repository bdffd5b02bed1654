package io.github.rdmaboot.provider.jna;

/**
 * Makes sure that native code can be called at all.
 */
final class NativeAccess {

	private NativeAccess() {
	}

	static void require() {
		NativeLibraries.bind();
	}

}
