package io.github.rdmaboot.autoconfigure;

import java.time.Duration;

import io.github.rdmaboot.endpoint.CheckedEndpoints;
import io.github.rdmaboot.endpoint.CompletionSettings;
import io.github.rdmaboot.endpoint.ConnectionSettings;
import io.github.rdmaboot.endpoint.MemorySettings;
import io.github.rdmaboot.endpoint.QueuePairSettings;
import io.github.rdmaboot.endpoint.RdmaEndpoints;
import io.github.rdmaboot.endpoint.ServerSettings;
import io.github.rdmaboot.endpoint.ShutdownSettings;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ShutdownTimeoutCheck}.
 */
class ShutdownTimeoutCheckTests {

	private final MockEnvironment environment = new MockEnvironment();

	private final RdmaEndpoints endpoints = CheckedEndpoints.create(() -> {
		throw new IllegalStateException("nothing is started");
	}, ShutdownSettings.defaults(), null);

	@BeforeEach
	void addEndpoint() {
		this.endpoints.addServer(new ServerSettings("server", "192.0.2.1", 0, 0, new QueuePairSettings(1, 1, 1, 1, 0),
				new ConnectionSettings(1, 1, 6, 7, new byte[0], null, null), new MemorySettings(1024, 1),
				CompletionSettings.defaults()));
	}

	@Test
	void warnsWithBothValuesWhenTheContextStopsWaitingFirst() {
		this.environment.setProperty("spring.lifecycle.timeout-per-shutdown-phase", "5s");
		assertThat(check(Duration.ofSeconds(20))).contains("WARN")
			.contains("rdma.shutdown.timeout is 20s")
			.contains("spring.lifecycle.timeout-per-shutdown-phase, which is 5s");
	}

	@Test
	void warnsWhenBothAreTheSame() {
		assertThat(check(Duration.ofSeconds(30))).contains("30s");
	}

	@Test
	void isSilentWhenTheContextWaitsLonger() {
		assertThat(check(Duration.ofSeconds(20))).isEmpty();
	}

	@Test
	void isSilentWithoutEndpoints() {
		RdmaEndpoints none = CheckedEndpoints.create(() -> {
			throw new IllegalStateException("nothing is started");
		}, ShutdownSettings.defaults(), null);
		assertThat(check(none, Duration.ofSeconds(30))).isEmpty();
	}

	private String check(Duration timeout) {
		return check(this.endpoints, timeout);
	}

	private String check(RdmaEndpoints endpoints, Duration timeout) {
		try (ConsoleOutput output = new ConsoleOutput()) {
			new ShutdownTimeoutCheck(endpoints, timeout, this.environment).afterSingletonsInstantiated();
			return output.toString();
		}
	}

}
