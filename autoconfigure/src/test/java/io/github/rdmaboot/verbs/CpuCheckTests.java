package io.github.rdmaboot.verbs;

import java.util.concurrent.TimeUnit;

import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.FaultingProvider.Fault;
import io.github.rdmaboot.provider.FaultingProvider.Kind;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CpuCheckTests {

	private final FaultingProvider faults = FaultingProvider.of(new LoopbackRdmaProvider(new LoopbackFabric()),
			new CallOrder());

	private final Devices devices = new Devices(this.faults.provider(), "test",
			new MemoryPoolLimits(1 << 20, 1 << 24, 64));

	@Test
	void checkThatIsInterruptedSaysThatNothingIsKnown() {
		this.faults.inject(new Fault("pinThread", 1, Kind.BLOCK, 0));
		Thread.currentThread().interrupt();

		assertThatExceptionOfType(RdmaException.class).isThrownBy(() -> this.devices.requireCpu(0))
			.withMessage("The check of CPU 0 was interrupted (EINTR)")
			.satisfies((ex) -> assertThat(ex.errno()).isEqualTo(Errno.EINTR.value()));

		assertThat(Thread.interrupted()).as("interrupt is kept").isTrue();
		this.faults.release();
	}

	@Test
	void checkThatFailsTellsTheErrnoOfTheCall() {
		this.faults.inject(new Fault("pinThread", 1, Kind.FAIL, Errno.EINVAL.value()));

		assertThatExceptionOfType(RdmaException.class).isThrownBy(() -> this.devices.requireCpu(0))
			.satisfies((ex) -> assertThat(ex.errno()).isEqualTo(Errno.EINVAL.value()));
	}

	@Test
	void cpuThatTheProcessDoesNotHaveIsRefusedOnTheLoopbackToo() {
		assertThatExceptionOfType(RdmaException.class).isThrownBy(() -> this.devices.requireCpu(8191))
			.withMessageContaining("sched_setaffinity")
			.satisfies((ex) -> assertThat(ex.errno()).isEqualTo(Errno.EINVAL.value()));
	}

}
