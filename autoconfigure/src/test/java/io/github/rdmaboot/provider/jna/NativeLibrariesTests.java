package io.github.rdmaboot.provider.jna;

import java.nio.file.Path;

import com.sun.jna.NativeLibrary;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaUnavailableException;
import io.github.rdmaboot.provider.RdmaUnavailableException.Cause;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class NativeLibrariesTests {

	@Test
	void aMissingLibraryIsNamedWithItsPackages() {
		assertThatExceptionOfType(RdmaUnavailableException.class)
			.isThrownBy(() -> NativeLibraries.load("librdmacm.so.99"))
			.withMessageContaining("librdmacm.so.99")
			.satisfies((ex) -> {
				assertThat(ex.reason()).isEqualTo(Cause.LIBRARY_MISSING);
				assertThat(ex.action()).contains("apt install librdmacm1 libibverbs1 ibverbs-providers")
					.contains("dnf install librdmacm libibverbs");
			});
	}

	@Test
	void aLibraryWithoutAFunctionIsNotKnown() {
		assertThatExceptionOfType(RdmaUnavailableException.class)
			.isThrownBy(() -> NativeLibraries.bind(Strange.class, NativeLibrary.getProcess()))
			.withMessageContaining("no_such_function")
			.satisfies((ex) -> assertThat(ex.reason()).isEqualTo(Cause.LIBRARY_UNKNOWN));
	}

	@Test
	void anOptionalFunctionThatIsMissingIsNotImplemented() {
		assertThatExceptionOfType(RdmaException.class)
			.isThrownBy(() -> new OptionalFunction("libc.so.6", "rdma_set_local_ece").callOrThrow(0L, 0L))
			.withMessageContaining("newer rdma-core")
			.satisfies((ex) -> {
				assertThat(ex.call()).isEqualTo("rdma_set_local_ece");
				assertThat(ex.errno()).isEqualTo(Errno.ENOSYS.value());
			});
	}

	@Test
	void anOptionalFunctionReportsItsErrno() {
		assertThatExceptionOfType(RdmaException.class)
			.isThrownBy(() -> new OptionalFunction("libc.so.6", "close").callOrThrow(-1))
			.satisfies((ex) -> assertThat(ex.errno()).isEqualTo(Errno.EBADF.value()));
	}

	@Test
	void openingOnAMachineWithoutRdmaSaysSo(@TempDir Path root) {
		assertThatExceptionOfType(RdmaUnavailableException.class).isThrownBy(() -> JnaRdmaProvider.open(root))
			.satisfies((ex) -> assertThat(ex.reason()).isIn(Cause.NO_KERNEL_SUPPORT, Cause.LIBRARY_MISSING));
	}

	@Test
	void jnaCallsFunctionsThroughTheirAddress() {
		SelfCheck.requireCallsThroughPointers(CallPath.JNA.calls());
	}

	static final class Strange {

		private Strange() {
		}

		static native int no_such_function();

	}

}
