package io.github.rdmaboot.autoconfigure;

import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.RdmaUnavailableException;
import io.github.rdmaboot.provider.RdmaUnavailableException.Cause;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.context.FilteredClassLoader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link RdmaProviderFactory}.
 */
class RdmaProviderFactoryTests {

	private final ClassLoader withoutJna = new FilteredClassLoader("com.sun.jna");

	@Test
	void loopbackNeedsNoJna() {
		try (RdmaProvider provider = new RdmaProviderFactory(RdmaProviderType.LOOPBACK, this.withoutJna).get()) {
			assertThat(provider.name()).isEqualTo("loopback");
		}
	}

	@Test
	void nativeWithoutJnaSaysWhatToAdd() {
		RdmaProviderFactory factory = new RdmaProviderFactory(RdmaProviderType.NATIVE, this.withoutJna);
		assertThatExceptionOfType(RdmaUnavailableException.class).isThrownBy(factory::get)
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Cause.NATIVE_ACCESS_MISSING))
			.satisfies((ex) -> assertThat(ex.action()).contains("net.java.dev.jna:jna"));
	}

	@Test
	void autoFallsBackToLoopbackWithOneWarning() {
		RdmaProviderFactory factory = new RdmaProviderFactory(RdmaProviderType.AUTO, this.withoutJna);
		try (ConsoleOutput output = new ConsoleOutput(); RdmaProvider provider = factory.get()) {
			assertThat(provider.name()).isEqualTo("loopback");
			assertThat(output.toString()).containsOnlyOnce("WARN")
				.contains("no other process can connect")
				.contains("JNA is not on the class path");
		}
	}

}
