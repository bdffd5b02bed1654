package io.github.rdmaboot.endpoint;

import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.jna.JnaRdmaProvider;
import io.github.rdmaboot.provider.jna.KernelObjects;
import io.github.rdmaboot.verbs.CompletionMode;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Destroys against everything else at once, on the kernel.
 */
class NativeDestroyStressIT {

	@ParameterizedTest
	@EnumSource(CompletionMode.class)
	@Timeout(value = 20, unit = TimeUnit.MINUTES)
	void destroysAgainstSendsConnectsAndOtherDestroysNeitherHangNorLeak(CompletionMode mode) throws Exception {
		String before = KernelObjects.counts();
		new DestroyStress(JnaRdmaProvider::open, "192.0.2.1", CompletionSettings.of(mode, HandlerThread.EXECUTOR),
				DestroyStress.duration(10), DestroyStress.seed())
			.run();
		assertThat(KernelObjects.counts()).isEqualTo(before);
	}

}
