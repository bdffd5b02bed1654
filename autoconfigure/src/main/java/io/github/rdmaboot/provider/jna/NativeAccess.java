package io.github.rdmaboot.provider.jna;

import java.util.Set;

/**
 * Makes sure that native code can be called at all. Refers to no class of JNA, so that it
 * can tell that JNA is missing.
 */
final class NativeAccess {

	private static final String JNA = "com.sun.jna.Native";

	// As Java names them; all of them are 64-bit.
	private static final Set<String> ARCHITECTURES = Set.of("amd64", "aarch64", "ppc64le", "s390x", "riscv64");

	private NativeAccess() {
	}

	/**
	 * Check the platform and JNA.
	 */
	static void require() {
		requirePlatform(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
		requireJna(NativeAccess.class.getClassLoader());
	}

	/**
	 * Check the platform, which decides how structures are laid out.
	 * @param system the operating system
	 * @param architecture the architecture
	 */
	static void requirePlatform(String system, String architecture) {
		if (!system.equals("Linux") || !ARCHITECTURES.contains(architecture)) {
			throw Unavailability.unsupportedPlatform(system + " on " + architecture);
		}
	}

	/**
	 * Check that JNA is there and its native part can be loaded.
	 * @param classLoader where to look for JNA
	 */
	static void requireJna(ClassLoader classLoader) {
		try {
			Class.forName(JNA, true, classLoader);
		}
		catch (ClassNotFoundException ex) {
			throw Unavailability.jnaMissing(ex);
		}
		catch (LinkageError ex) {
			throw Unavailability.nativeAccessRefused(ex);
		}
	}

}
