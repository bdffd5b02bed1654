package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.time.Instant;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.endpoint.destroy.StepClock;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link EndpointsDestroy}.
 */
class EndpointsDestroyTests {

	@Test
	void theDurationOfAnUnfinishedDestroyIsRightThoughTheTimeOfDayWasSetBack() {
		StepClock clock = new StepClock(Instant.now().plus(Duration.ofHours(1)),
				System.nanoTime() - Duration.ofSeconds(3).toNanos());

		DestroyReport report = EndpointsDestroy.unfinished("server", 0, DestroyTrigger.MANUAL, clock,
				DestroyResult.TIMEOUT, "another thread is still destroying it");

		assertThat(report.duration()).isBetween(Duration.ofSeconds(3), Duration.ofMinutes(1));
	}

}
