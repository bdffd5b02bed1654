package io.github.rdmaboot.provider.jna;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;

import io.github.rdmaboot.provider.RdmaUnavailableException;
import io.github.rdmaboot.provider.RdmaUnavailableException.Cause;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowable;

class NativeAccessTests {

	@ParameterizedTest
	@CsvSource({ "Linux, amd64", "Linux, aarch64", "Linux, ppc64le", "Linux, s390x", "Linux, riscv64" })
	void knownPlatformsAreAccepted(String system, String architecture) {
		assertThatNoException().isThrownBy(() -> NativeAccess.requirePlatform(system, architecture));
	}

	@ParameterizedTest
	@CsvSource({ "Linux, i386", "Linux, arm", "Linux, ppc64", "FreeBSD, amd64", "Mac OS X, aarch64",
			"Windows 11, amd64" })
	void otherPlatformsAreRefused(String system, String architecture) {
		assertThatExceptionOfType(RdmaUnavailableException.class)
			.isThrownBy(() -> NativeAccess.requirePlatform(system, architecture))
			.withMessageContaining(system + " on " + architecture)
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Cause.UNSUPPORTED_PLATFORM));
	}

	@Test
	void openingWithoutJnaNamesTheDependency() throws Exception {
		Class<?> provider = new WithoutJna(true).loadClass(JnaRdmaProvider.class.getName());
		assertThat(provider.getClassLoader()).isInstanceOf(WithoutJna.class);
		Throwable failure = catchThrowable(() -> provider.getMethod("open").invoke(null));
		assertThat(failure).isInstanceOf(InvocationTargetException.class);
		assertUnavailable(failure.getCause(), "JNA is not on the class path", "net.java.dev.jna:jna");
	}

	@Test
	void aNativePartThatMayNotBeLoadedNamesTheOption() {
		Throwable failure = catchThrowable(() -> NativeAccess.requireJna(new WithoutJna(false)));
		assertUnavailable(failure, "native part of JNA cannot be loaded", "--enable-native-access=ALL-UNNAMED");
	}

	private static void assertUnavailable(Throwable failure, String message, String action) {
		assertThat(failure).isInstanceOf(RdmaUnavailableException.class).hasMessageContaining(message);
		RdmaUnavailableException unavailable = (RdmaUnavailableException) failure;
		assertThat(unavailable.reason()).isEqualTo(Cause.NATIVE_ACCESS_MISSING);
		assertThat(unavailable.action()).contains(action);
	}

	/**
	 * Loads the native provider anew and finds no JNA, or one that fails to initialize.
	 */
	private static final class WithoutJna extends ClassLoader {

		private final boolean missing;

		WithoutJna(boolean missing) {
			super(NativeAccessTests.class.getClassLoader());
			this.missing = missing;
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (name.startsWith("com.sun.jna.")) {
				if (this.missing) {
					throw new ClassNotFoundException(name);
				}
				throw new ExceptionInInitializerError(new IllegalStateException("Illegal native access"));
			}
			if (name.startsWith(JnaRdmaProvider.class.getPackageName())) {
				Class<?> loaded = findLoadedClass(name);
				return (loaded != null) ? loaded : define(name);
			}
			return super.loadClass(name, resolve);
		}

		private Class<?> define(String name) throws ClassNotFoundException {
			try (InputStream content = getResourceAsStream(name.replace('.', '/') + ".class")) {
				byte[] bytes = content.readAllBytes();
				return defineClass(name, bytes, 0, bytes.length);
			}
			catch (IOException ex) {
				throw new ClassNotFoundException(name, ex);
			}
		}

	}

}
