package io.github.rdmaboot.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import io.github.rdmaboot.endpoint.CheckedEndpoints;
import io.github.rdmaboot.endpoint.CompletionSettings;
import io.github.rdmaboot.endpoint.ConnectionSettings;
import io.github.rdmaboot.endpoint.MemorySettings;
import io.github.rdmaboot.endpoint.QueuePairSettings;
import io.github.rdmaboot.endpoint.RdmaEndpointException;
import io.github.rdmaboot.endpoint.RdmaEndpoints;
import io.github.rdmaboot.endpoint.ServerSettings;
import io.github.rdmaboot.endpoint.ShutdownSettings;
import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyResult;
import io.github.rdmaboot.endpoint.destroy.DestroyStepName;
import io.github.rdmaboot.endpoint.destroy.DestroyTrigger;
import io.github.rdmaboot.endpoint.destroy.StepOutcome;
import io.github.rdmaboot.endpoint.destroy.StepReport;
import io.github.rdmaboot.provider.Errno;
import io.micrometer.core.instrument.LongTaskTimer;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.cumulative.CumulativeTimer;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.distribution.pause.PauseDetector;
import io.micrometer.core.instrument.internal.DefaultLongTaskTimer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link RdmaMetrics}.
 */
class RdmaMetricsTests {

	private final RdmaEndpoints endpoints = CheckedEndpoints.create(() -> {
		throw new IllegalStateException("no meter may open a provider");
	}, ShutdownSettings.defaults(), null);

	private final MeterRegistry registry = new SimpleMeterRegistry();

	private final RdmaMetrics metrics = new RdmaMetrics(this.endpoints);

	@BeforeEach
	void bind() {
		this.endpoints.addServer(new ServerSettings("echo", "*", 0, 128, new QueuePairSettings(1, 1, 1, 1, 0),
				new ConnectionSettings(1, 1, 6, 7, new byte[0], null, null), new MemorySettings(1024, 1),
				CompletionSettings.defaults()));
		this.metrics.bindTo(this.registry);
	}

	@Test
	void everyMeterIsRegisteredUpFront() {
		assertThat(names()).containsExactlyInAnyOrder("rdma.endpoint.destroy", "rdma.endpoint.destroy.step",
				"rdma.endpoint.destroy.failures", "rdma.endpoint.destroy.active", "rdma.endpoint.connect",
				"rdma.cm.ids", "rdma.cm.events", "rdma.cm.events.unacked", "rdma.connections", "rdma.messages",
				"rdma.bytes", "rdma.operations", "rdma.operation.bytes", "rdma.receives.returned",
				"rdma.completion.errors", "rdma.memory.registered", "rdma.memory.pool", "rdma.reconnects");
	}

	@Test
	void whatIsCountedInBytesSaysSo() {
		assertThat(this.registry.getMeters())
			.filteredOn((meter) -> meter.getId().getName().matches("rdma\\.(.*bytes|memory.*)"))
			.extracting((meter) -> meter.getId().getName() + " in " + meter.getId().getBaseUnit())
			.containsOnly("rdma.bytes in bytes", "rdma.operation.bytes in bytes", "rdma.memory.registered in bytes",
					"rdma.memory.pool in bytes");
	}

	@Test
	void namesInPrometheusHaveTheUnitOnce() {
		PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
		this.metrics.bindTo(prometheus);
		assertThat(prometheus.scrape()).contains("rdma_bytes_total{", "rdma_operation_bytes_total{");
	}

	@Test
	void everyMeterIsInTheDocumentation() throws IOException {
		String source = Files.readString(Path.of("src/main/java/io/github/rdmaboot/metrics/RdmaMetrics.java"));
		assertThat(names()).allSatisfy((name) -> assertThat(source).contains(" * <li>{@code " + name + "} "));
	}

	@Test
	void failuresAreZeroForEveryStepBeforeTheFirst() {
		for (DestroyStepName step : DestroyStepName.values()) {
			if (step.isOfDatagramsOnly()) {
				continue;
			}
			assertThat(this.registry.get("rdma.endpoint.destroy.failures").tags("step", step.tag()).counters())
				.isNotEmpty()
				.allSatisfy((counter) -> assertThat(counter.count()).isZero());
		}
	}

	@Test
	void aDestroyIsTimedWithItsSteps() {
		this.metrics.destroyEnded(report(DestroyTrigger.DISCONNECT, DestroyResult.SUCCESS,
				step(DestroyStepName.DESTROY_QP, StepOutcome.SUCCESS, 0)));
		assertThat(this.registry.get("rdma.endpoint.destroy")
			.tags("endpoint", "echo", "trigger", "disconnect", "result", "success", "error", "none")
			.timer()
			.count()).isEqualTo(1);
		assertThat(this.registry.get("rdma.endpoint.destroy.step")
			.tags("endpoint", "echo", "step", "destroy-qp", "result", "success")
			.timer()
			.count()).isEqualTo(1);
	}

	@Test
	void aFailedStepIsCountedWithItsErrno() {
		this.metrics.destroyEnded(report(DestroyTrigger.MANUAL, DestroyResult.FAILURE,
				step(DestroyStepName.DESTROY_QP, StepOutcome.FAILURE, Errno.ENOSPC.value())));
		assertThat(this.registry.get("rdma.endpoint.destroy.failures")
			.tags("endpoint", "echo", "step", "destroy-qp", "error", "ENOSPC")
			.counter()
			.count()).isEqualTo(1);
		assertThat(this.registry.get("rdma.endpoint.destroy")
			.tags("result", "failure", "error", "ENOSPC", "trigger", "manual")
			.timer()
			.count()).isEqualTo(1);
	}

	@Test
	void aClosedRegistryStillCountsEveryOutcome() {
		PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
		this.metrics.bindTo(prometheus);
		prometheus.close();
		this.metrics.destroyEnded(report(DestroyTrigger.SHUTDOWN, DestroyResult.FAILURE,
				step(DestroyStepName.DESTROY_QP, StepOutcome.FAILURE, Errno.EBUSY.value())));
		this.metrics.destroyEnded(report(DestroyTrigger.SHUTDOWN, DestroyResult.FAILURE,
				step(DestroyStepName.DEREG_MR, StepOutcome.FAILURE, Errno.ENOSPC.value())));
		this.metrics.destroyEnded(report(DestroyTrigger.SHUTDOWN, DestroyResult.TIMEOUT,
				step(DestroyStepName.DESTROY_ID, StepOutcome.TIMEOUT, 0)));
		assertThat(prometheus.scrape())
			.contains("rdma_endpoint_destroy_seconds_count{endpoint=\"echo\",error=\"EBUSY\",result=\"failure\","
					+ "trigger=\"shutdown\"} 1")
			.contains("rdma_endpoint_destroy_seconds_count{endpoint=\"echo\",error=\"other\",result=\"failure\","
					+ "trigger=\"shutdown\"} 1")
			.contains("rdma_endpoint_destroy_seconds_count{endpoint=\"echo\",error=\"ETIMEDOUT\",result=\"timeout\","
					+ "trigger=\"shutdown\"} 1")
			.contains("rdma_endpoint_destroy_failures_total{endpoint=\"echo\",error=\"EBUSY\",step=\"destroy-qp\"} 1.0")
			.contains("rdma_endpoint_destroy_failures_total{endpoint=\"echo\",error=\"other\",step=\"dereg-mr\"} 1.0")
			.contains("rdma_endpoint_destroy_step_seconds_count{endpoint=\"echo\",result=\"timeout\","
					+ "step=\"destroy-id\"} 1");
	}

	@Test
	void aDestroyIsActiveWhileItRuns() {
		this.metrics.destroyStarted("echo", 3, DestroyTrigger.MANUAL);
		assertThat(active()).isEqualTo(1);
		this.metrics.destroyEnded(new DestroyReport("echo", 3, DestroyTrigger.MANUAL, Instant.EPOCH, Duration.ZERO,
				DestroyResult.SUCCESS, 1, List.of()));
		assertThat(active()).isZero();
	}

	@Test
	void aStuckDestroyStaysActiveUntilItsCallReturns() {
		StepReport stuck = step(DestroyStepName.DESTROY_ID, StepOutcome.TIMEOUT, 0);
		this.metrics.destroyStarted("echo", 0, DestroyTrigger.MANUAL);
		this.metrics.destroyEnded(report(DestroyTrigger.MANUAL, DestroyResult.TIMEOUT, stuck));
		assertThat(active()).isEqualTo(1);
		this.metrics.returnedLate("echo", 0, stuck, Duration.ofSeconds(9));
		assertThat(active()).isZero();
	}

	@Test
	void failuresThatComeAfterADestroyThatWasStuckAreCounted() {
		StepReport stuck = step(DestroyStepName.DESTROY_QP, StepOutcome.TIMEOUT, 0);
		this.metrics.destroyStarted("echo", 0, DestroyTrigger.MANUAL);
		this.metrics.destroyEnded(report(DestroyTrigger.MANUAL, DestroyResult.TIMEOUT, stuck));
		this.metrics.lateStepEnded("echo", 0, step(DestroyStepName.DEREG_MR, StepOutcome.SUCCESS, 0));
		this.metrics.lateStepEnded("echo", 0,
				step(DestroyStepName.RELEASE_DEVICE, StepOutcome.FAILURE, Errno.EBUSY.value()));
		this.metrics.returnedLate("echo", 0, step(DestroyStepName.DESTROY_QP, StepOutcome.FAILURE, Errno.EBUSY.value()),
				Duration.ofSeconds(9));
		assertThat(failures(DestroyStepName.DEREG_MR)).as("late step that succeeded").isZero();
		assertThat(failures(DestroyStepName.RELEASE_DEVICE)).as("late step that failed").isEqualTo(1);
		assertThat(failures(DestroyStepName.DESTROY_QP)).as("stuck call that failed in the end").isEqualTo(1);
		assertThat(active()).isZero();
	}

	private double failures(DestroyStepName step) {
		return this.registry.get("rdma.endpoint.destroy.failures")
			.tags("step", step.tag(), "error", Errno.EBUSY.name())
			.counter()
			.count();
	}

	@Test
	void attemptsToConnectAreTimedByErrno() {
		this.metrics.connectEnded("echo", Duration.ofMillis(1), null);
		this.metrics.connectEnded("echo", Duration.ofMillis(2), new RdmaEndpointException("echo", "192.0.2.1:7471",
				"rdma_connect", Errno.ECONNREFUSED.value(), null, null));
		assertThat(
				this.registry.get("rdma.endpoint.connect").tags("result", "success", "error", "none").timer().count())
			.isEqualTo(1);
		assertThat(this.registry.get("rdma.endpoint.connect")
			.tags("result", "failure", "error", "ECONNREFUSED")
			.timer()
			.count()).isEqualTo(1);
	}

	@Test
	void seriesOfANameHaveTheSameTagKeysAndNothingOfAPeer() {
		this.metrics.connectEnded("echo", Duration.ofMillis(2), new RdmaEndpointException("echo", "192.0.2.1:7471",
				"rdma_connect", Errno.ECONNREFUSED.value(), null, null));
		this.metrics.destroyEnded(report(DestroyTrigger.DISCONNECT, DestroyResult.FAILURE,
				step(DestroyStepName.DESTROY_QP, StepOutcome.FAILURE, Errno.ENOSPC.value())));
		assertThat(this.registry.getMeters()).extracting(Meter::getId).allSatisfy((id) -> {
			assertThat(tagKeys(id)).isEqualTo(tagKeys(this.registry.get(id.getName()).meter().getId()));
			assertThat(id.getTags()).extracting(Tag::getValue).noneMatch((value) -> value.contains("192.0.2.1"));
		});
	}

	@Test
	void connectionsAddNoMeters() {
		int before = this.registry.getMeters().size();
		for (int connection = 1; connection <= 1000; connection++) {
			this.metrics.connectEnded("echo", Duration.ofMillis(1), null);
			this.metrics.destroyStarted("echo", connection, DestroyTrigger.DISCONNECT);
			this.metrics.destroyEnded(new DestroyReport("echo", connection, DestroyTrigger.DISCONNECT, Instant.EPOCH,
					Duration.ofMillis(1), DestroyResult.SUCCESS, 1, List.of()));
		}
		assertThat(this.registry.getMeters()).hasSize(before);
		assertThat(active()).isZero();
	}

	@Test
	void mayBeBoundToSeveralRegistries() {
		CompositeMeterRegistry composite = new CompositeMeterRegistry();
		SimpleMeterRegistry member = new SimpleMeterRegistry();
		composite.add(member);
		this.metrics.bindTo(composite);
		this.metrics.destroyEnded(report(DestroyTrigger.MANUAL, DestroyResult.SUCCESS));
		for (MeterRegistry each : List.of(this.registry, composite, member)) {
			assertThat(each.get("rdma.endpoint.destroy").tags("trigger", "manual", "result", "success").timer().count())
				.isEqualTo(1);
		}
	}

	@Test
	void aRegistryThatThrowsKeepsNoOtherFromBeingTold() {
		this.metrics.bindTo(new FailingRegistry());
		MeterRegistry last = new SimpleMeterRegistry();
		this.metrics.bindTo(last);
		assertFails(() -> this.metrics.connectEnded("echo", Duration.ofMillis(1), null));
		assertThat(last.get("rdma.endpoint.connect").tags("result", "success").timer().count()).isEqualTo(1);
		assertFails(() -> this.metrics.stopStarted(DestroyTrigger.SHUTDOWN));
		assertThat(active(last, "all")).isEqualTo(1);
		assertFails(() -> this.metrics.destroyStarted("echo", 0, DestroyTrigger.SHUTDOWN));
		assertThat(active(last, "echo")).isEqualTo(1);
		assertFails(() -> this.metrics.destroyEnded(report(DestroyTrigger.SHUTDOWN, DestroyResult.SUCCESS)));
		assertThat(active(last, "echo")).isZero();
		assertThat(last.get("rdma.endpoint.destroy").tags("trigger", "shutdown", "result", "success").timer().count())
			.isEqualTo(1);
	}

	private static void assertFails(ThrowingCallable message) {
		assertThatIllegalStateException().isThrownBy(message).withMessage("no space");
	}

	@Test
	void stopThatIsStuckStaysActiveWhenALaterOneEnds() {
		this.metrics.stopStarted(DestroyTrigger.FAILED_START);
		this.metrics.stopStarted(DestroyTrigger.SHUTDOWN);
		assertThat(active("all")).isEqualTo(1);
		this.metrics.stopEnded(DestroyTrigger.SHUTDOWN, Duration.ofSeconds(1));
		assertThat(active("all")).as("while the first one is stuck").isEqualTo(1);
		this.metrics.stopEnded(DestroyTrigger.FAILED_START, Duration.ofSeconds(2));
		assertThat(active("all")).isZero();
	}

	private int active() {
		return active("echo");
	}

	private int active(String endpoint) {
		return active(this.registry, endpoint);
	}

	private static int active(MeterRegistry registry, String endpoint) {
		return registry.get("rdma.endpoint.destroy.active").tags("endpoint", endpoint).longTaskTimer().activeTasks();
	}

	private Set<String> names() {
		return this.registry.getMeters().stream().map((meter) -> meter.getId().getName()).collect(Collectors.toSet());
	}

	private static Set<String> tagKeys(Meter.Id id) {
		return id.getTags().stream().map(Tag::getKey).collect(Collectors.toSet());
	}

	private static DestroyReport report(DestroyTrigger trigger, DestroyResult result, StepReport... steps) {
		return new DestroyReport("echo", 0, trigger, Instant.EPOCH, Duration.ofMillis(5), result, 0,
				Arrays.asList(steps));
	}

	private static StepReport step(DestroyStepName name, StepOutcome outcome, int errno) {
		return new StepReport(name, "echo", Instant.now(), Duration.ofMillis(1), outcome, "call", errno, "");
	}

	/**
	 * Registry that takes meters, but no values.
	 */
	private static final class FailingRegistry extends SimpleMeterRegistry {

		@Override
		protected Timer newTimer(Meter.Id id, DistributionStatisticConfig config, PauseDetector pauseDetector) {
			return new CumulativeTimer(id, this.clock, config, pauseDetector, getBaseTimeUnit()) {

				@Override
				protected void recordNonNegative(long amount, TimeUnit unit) {
					throw new IllegalStateException("no space");
				}

			};
		}

		@Override
		protected LongTaskTimer newLongTaskTimer(Meter.Id id, DistributionStatisticConfig config) {
			return new DefaultLongTaskTimer(id, this.clock, getBaseTimeUnit(), config, false) {

				@Override
				public Sample start() {
					throw new IllegalStateException("no space");
				}

			};
		}

	}

}
