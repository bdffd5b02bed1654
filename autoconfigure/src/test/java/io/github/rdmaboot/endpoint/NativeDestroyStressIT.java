package io.github.rdmaboot.endpoint;

import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.jna.JnaRdmaProvider;
import io.github.rdmaboot.provider.jna.KernelObjects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Destroys against everything else at once, on the kernel.
 */
class NativeDestroyStressIT {

	@Test
	@Timeout(value = 20, unit = TimeUnit.MINUTES)
	void destroysAgainstSendsConnectsAndOtherDestroysNeitherHangNorLeak() throws Exception {
		String before = KernelObjects.counts();
		new DestroyStress(JnaRdmaProvider::open, "192.0.2.1", DestroyStress.duration(30), DestroyStress.seed()).run();
		assertThat(KernelObjects.counts()).isEqualTo(before);
	}

}
