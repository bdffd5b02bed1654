package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.jna.Footprint;
import io.github.rdmaboot.provider.jna.JnaRdmaProvider;
import io.github.rdmaboot.verbs.CompletionMode;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Destroys against everything else at once, on the kernel.
 */
class NativeDestroyStressIT {

	@ParameterizedTest
	@EnumSource(CompletionMode.class)
	@Timeout(value = 20, unit = TimeUnit.MINUTES)
	void destroysAgainstSendsConnectsAndOtherDestroysNeitherHangNorLeak(CompletionMode mode) throws Exception {
		NativeEcho.openFirstDevice();
		Footprint before = Footprint.now();
		new DestroyStress(JnaRdmaProvider::open, "192.0.2.1", CompletionSettings.of(mode, HandlerThread.EXECUTOR),
				DestroyStress.duration(10), DestroyStress.seed())
			.run();
		before.awaitNothingMore(Duration.ofSeconds(30), "the stress");
	}

}
