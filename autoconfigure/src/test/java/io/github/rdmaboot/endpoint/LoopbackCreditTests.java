package io.github.rdmaboot.endpoint;

import java.time.Duration;

import io.github.rdmaboot.provider.CallOrder;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.FaultingProvider;
import io.github.rdmaboot.provider.FaultingProvider.Fault;
import io.github.rdmaboot.provider.FaultingProvider.Kind;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.loopback.LoopbackFabric;
import io.github.rdmaboot.provider.loopback.LoopbackRdmaProvider;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Credits on the loopback provider.
 */
class LoopbackCreditTests extends CreditContract {

	private final LoopbackFabric fabric = LoopbackFabrics.with("192.0.2.1");

	@Override
	RdmaProvider openProvider() {
		return new LoopbackRdmaProvider(this.fabric);
	}

	@Test
	void aQueuePairThatIsTooLargeForTheDeviceSaysOfThePlaceForGrants() {
		FaultingProvider faults = FaultingProvider.of(openProvider(), new CallOrder());
		faults.inject(new Fault("rdmaCreateQp", 1, Kind.FAIL, Errno.EINVAL.value()));
		MemorySettings memory = new MemorySettings(1024, 4,
				new MessageSettings(OversizedMessages.REJECT, 100_000, FlowControl.CREDITS));
		try (RdmaEndpoints clients = CheckedEndpoints.create(faults::provider, ShutdownSettings.defaults(), null)) {
			clients.start();
			RdmaClient client = clients.addClient(
					new ClientSettings("client", "192.0.2.1", 4711, null, Duration.ofSeconds(2), Duration.ofSeconds(5),
							ClientStartup.BACKGROUND, TestSettings.NO_RECONNECT, new QueuePairSettings(16, 16, 1, 1, 0),
							TestSettings.CONNECTION, memory, CompletionSettings.defaults()));
			client.start();
			await().until(() -> client.lastError() != null);
			assertThat(client.lastError()).hasStackTraceContaining("failed with EINVAL")
				.hasStackTraceContaining("it was to hold 17 sends, one more than queue-pair.max-send-wr");
		}
	}

}
