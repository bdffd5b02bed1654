package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ConnectionEnd}.
 */
class ConnectionEndTests {

	private static final DestroyReport REPORT = new DestroyReport("echo", 1, DestroyTrigger.SHUTDOWN, Instant.EPOCH,
			Duration.ZERO, DestroyResult.SUCCESS, 1, List.of());

	private final ConnectionEnd end = new ConnectionEnd();

	private final List<Runnable> tasks = new ArrayList<>();

	@Test
	void theExecutorGetsNoTaskWhenNobodyAskedForTheReport() {
		this.end.done(REPORT, this.tasks::add);
		assertThat(this.tasks).isEmpty();
		assertThat(this.end.latch().getCount()).isZero();
		assertThat(this.end.report()).isCompletedWithValue(REPORT);
	}

	@Test
	void thoseWhoAskedLearnOfTheEndOnTheExecutor() {
		CompletableFuture<DestroyReport> first = this.end.report();
		CompletableFuture<DestroyReport> second = this.end.report();
		this.end.done(REPORT, this.tasks::add);
		assertThat(first).isNotDone();
		assertThat(this.tasks).hasSize(1);
		this.tasks.get(0).run();
		assertThat(first).isCompletedWithValue(REPORT);
		assertThat(second).isCompletedWithValue(REPORT);
	}

	@Test
	void aFutureThatSomebodyCompletesIsNobodyElses() {
		CompletableFuture<DestroyReport> meddled = this.end.report();
		CompletableFuture<DestroyReport> other = this.end.report();
		meddled.cancel(false);
		this.end.done(REPORT, Runnable::run);
		assertThat(other).isCompletedWithValue(REPORT);
		assertThat(this.end.report()).isCompletedWithValue(REPORT);
	}

}
