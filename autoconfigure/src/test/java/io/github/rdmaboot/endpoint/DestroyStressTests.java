package io.github.rdmaboot.endpoint;

import java.net.InetAddress;
import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import io.github.rdmaboot.verbs.CompletionMode;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Destroys against everything else at once, on the loopback provider, whose calls throw
 * on handles that were destroyed.
 */
class DestroyStressTests {

	@ParameterizedTest
	@EnumSource(CompletionMode.class)
	@Timeout(value = 20, unit = TimeUnit.MINUTES)
	void destroysAgainstSendsConnectsAndOtherDestroysNeitherHangNorLeak(CompletionMode mode) throws Exception {
		LoopbackFabric fabric = new LoopbackFabric();
		fabric.addAddress(InetAddress.getByName("192.0.2.1"));
		CallOrder order = new CallOrder(false);
		new DestroyStress(() -> FaultingProvider.of(new LoopbackRdmaProvider(fabric), order).provider(), "192.0.2.1",
				CompletionSettings.of(mode, HandlerThread.EXECUTOR), DestroyStress.duration(5), DestroyStress.seed())
			.run();
		assertThat(order.violations()).isEmpty();
		assertThat(order.left()).isEmpty();
		assertThat(fabric.resources()).usingRecursiveComparison()
			.ignoringFields("timers")
			.isEqualTo(new LoopbackFabric().resources());
	}

}
