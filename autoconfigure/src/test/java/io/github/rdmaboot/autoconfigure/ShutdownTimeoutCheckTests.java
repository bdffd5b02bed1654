package io.github.rdmaboot.autoconfigure;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ShutdownTimeoutCheck}.
 */
class ShutdownTimeoutCheckTests {

	private final MockEnvironment environment = new MockEnvironment();

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

	private String check(Duration timeout) {
		try (ConsoleOutput output = new ConsoleOutput()) {
			new ShutdownTimeoutCheck(timeout, this.environment).afterSingletonsInstantiated();
			return output.toString();
		}
	}

}
