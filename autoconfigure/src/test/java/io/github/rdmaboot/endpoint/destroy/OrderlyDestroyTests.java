package io.github.rdmaboot.endpoint.destroy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for {@link OrderlyDestroy}.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OrderlyDestroyTests {

	private static final DestroyLimits LIMITS = new DestroyLimits(Duration.ofSeconds(10), Duration.ofMillis(300),
			Duration.ofMillis(300), Duration.ofMillis(300));

	private final List<String> calls = new CopyOnWriteArrayList<>();

	private final List<String> late = new CopyOnWriteArrayList<>();

	private final List<String> lateSteps = new CopyOnWriteArrayList<>();

	private final DestroyListener listener = new DestroyListener() {

		@Override
		public void destroyEnded(DestroyReport report) {
			OrderlyDestroyTests.this.calls.add("ended " + report.subject());
		}

		@Override
		public void returnedLate(String endpoint, long connection, StepReport step, Duration stuckFor) {
			OrderlyDestroyTests.this.late.add(endpoint + " " + step.step().tag() + " " + step.outcome().tag());
		}

		@Override
		public void lateStepEnded(String endpoint, long connection, StepReport step) {
			OrderlyDestroyTests.this.lateSteps
				.add(endpoint + " " + step.step().tag() + " " + step.outcome().tag() + " " + step.error());
		}

	};

	private final Logger logger = (Logger) LoggerFactory.getLogger(OrderlyDestroy.class);

	private final ListAppender<ILoggingEvent> log = new ListAppender<>();

	@BeforeEach
	void readTheLog() {
		this.log.start();
		this.logger.addAppender(this.log);
	}

	@AfterEach
	void leaveTheLog() {
		this.logger.detachAppender(this.log);
	}

	private DestroyMember member(String subject, Map<DestroyStepName, DestroyStep> special) {
		Map<DestroyStepName, DestroyStep> steps = new EnumMap<>(DestroyStepName.class);
		for (DestroyStepName step : DestroyStepName.values()) {
			DestroyStep work = special.getOrDefault(step, (deadline) -> true);
			steps.put(step, (deadline) -> {
				this.calls.add(subject + " " + step.tag());
				return work.run(deadline);
			});
		}
		return new DestroyMember(subject, true, steps);
	}

	private List<DestroyReport> run(DestroyLimits limits, DestroyMember... members) {
		List<DestroyGroup> groups = new ArrayList<>();
		for (DestroyMember member : members) {
			groups.add(new DestroyGroup(member.subject(), 0, List.of(member)));
		}
		return new OrderlyDestroy(limits, this.listener).run(groups, DestroyTrigger.SHUTDOWN);
	}

	@Test
	void stepsBeginWhenTheSystemHasAThreadToGive() {
		AtomicInteger attempts = new AtomicInteger();
		ThreadFactory scarce = (task) -> {
			if (attempts.incrementAndGet() < 3) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			return new Thread(task);
		};
		DestroyReport report = new OrderlyDestroy(LIMITS, this.listener, scarce)
			.run(List.of(new DestroyGroup("a", 0, List.of(member("a", Map.of())))), DestroyTrigger.SHUTDOWN)
			.get(0);
		assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
		assertThat(report.steps()).hasSize(DestroyStepName.values().length);
	}

	@Test
	void withoutAnyThreadTheDestroyEndsAndSaysWhatWasNotBegun() {
		ThreadFactory none = (task) -> {
			throw new OutOfMemoryError("unable to create native thread");
		};
		long begin = System.nanoTime();
		DestroyReport report = new OrderlyDestroy(LIMITS, this.listener, none)
			.run(List.of(new DestroyGroup("a", 0, List.of(member("a", Map.of())))), DestroyTrigger.SHUTDOWN)
			.get(0);
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
		assertThat(report.result()).isEqualTo(DestroyResult.TIMEOUT);
		assertThat(report.toLine()).contains("a quiesce timeout: not begun when the time was up");
	}

	@Test
	void whoStartsLearnsThatAllDestroysHaveBegunBeforeTheFirstStep() {
		DestroyListener begins = new DestroyListener() {

			@Override
			public void destroyStarted(String endpoint, long connection, DestroyTrigger trigger) {
				OrderlyDestroyTests.this.calls.add("started " + endpoint);
			}

			@Override
			public void destroyEnded(DestroyReport report) {
			}

		};
		List<DestroyGroup> groups = List.of(new DestroyGroup("a", 0, List.of(member("a", Map.of()))),
				new DestroyGroup("b", 0, List.of(member("b", Map.of()))));

		new OrderlyDestroy(LIMITS, begins).run(groups, DestroyTrigger.SHUTDOWN, () -> this.calls.add("all started"));

		assertThat(this.calls).startsWith("started a", "started b", "all started");
		assertThat(this.calls).as("with the steps").hasSizeGreaterThan(3);
	}

	@Test
	void nobodyWaitsForTheBeginOfADestroyOfNothing() {
		List<DestroyReport> reports = new OrderlyDestroy(LIMITS, this.listener).run(List.of(), DestroyTrigger.SHUTDOWN,
				() -> this.calls.add("all started"));

		assertThat(reports).isEmpty();
		assertThat(this.calls).as("what was waited for").isEmpty();
	}

	@Test
	void eachStepIsTakenForAllMembersBeforeTheNext() {
		List<DestroyReport> reports = run(LIMITS, member("a", Map.of()), member("b", Map.of()));
		List<String> expected = new ArrayList<>();
		for (DestroyStepName step : DestroyStepName.values()) {
			// Waits begin with the last member, which is the one that is likely to be
			// done last.
			expected.add("a " + step.tag());
			expected.add("b " + step.tag());
		}
		assertThat(this.calls).filteredOn((call) -> !call.startsWith("ended"))
			.containsExactlyInAnyOrderElementsOf(expected);
		for (int i = 0; i < expected.size(); i += 2) {
			assertThat(this.calls.subList(i, i + 2)).containsExactlyInAnyOrder(expected.get(i), expected.get(i + 1));
		}
		assertThat(reports).extracting(DestroyReport::result)
			.containsExactly(DestroyResult.SUCCESS, DestroyResult.SUCCESS);
	}

	@Test
	void stepThatFailsIsReportedAndKeepsNoOtherFromBeingTaken() {
		DestroyReport report = run(LIMITS, member("a", Map.of(DestroyStepName.DESTROY_QP, (deadline) -> {
			throw new RdmaException("ibv_destroy_qp", Errno.EBUSY.value());
		}, DestroyStepName.DEREG_MR, (deadline) -> {
			throw new IllegalStateException("odd");
		}))).get(0);
		assertThat(report.result()).isEqualTo(DestroyResult.FAILURE);
		assertThat(report.error()).isEqualTo("EBUSY");
		assertThat(report.failures()).extracting(StepReport::step)
			.containsExactly(DestroyStepName.DESTROY_QP, DestroyStepName.DEREG_MR);
		assertThat(this.calls).contains("a destroy-cq", "a release-device", "a destroy-id");
		assertThat(report.toLine()).contains("endpoint=a trigger=shutdown result=failure error=EBUSY")
			.contains("ibv_destroy_qp")
			.doesNotContain("\n");
	}

	@Test
	void callThatIsStuckCostsItsLimitOnceAndHoldsNobodyElseUp() {
		CountDownLatch stuck = new CountDownLatch(1);
		DestroyStep block = (deadline) -> Deadline.after(Duration.ofMinutes(1)).await(stuck);
		DestroyMember[] members = new DestroyMember[10];
		for (int i = 0; i < members.length; i++) {
			members[i] = member("m" + i, (i % 2 == 0) ? Map.of(DestroyStepName.DESTROY_QP, block) : Map.of());
		}
		long begin = System.nanoTime();
		List<DestroyReport> reports = run(LIMITS, members);
		Duration took = Duration.ofNanos(System.nanoTime() - begin);
		assertThat(took).as("five stuck calls are waited for together").isLessThan(Duration.ofMillis(5 * 300));
		for (int i = 0; i < members.length; i++) {
			DestroyReport report = reports.get(i);
			if (i % 2 == 0) {
				assertThat(report.result()).isEqualTo(DestroyResult.TIMEOUT);
				assertThat(report.error()).isEqualTo("ETIMEDOUT");
				assertThat(this.calls).doesNotContain("m" + i + " destroy-id");
			}
			else {
				assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
				assertThat(this.calls).contains("m" + i + " destroy-id");
			}
		}
		stuck.countDown();
		await().atMost(Duration.ofSeconds(10)).until(() -> this.late.size() == 5);
		assertThat(this.late).allSatisfy((line) -> assertThat(line).endsWith("destroy-qp success"));
		assertThat(this.calls).as("what the stuck members still had is freed")
			.contains("m0 destroy-id", "m8 destroy-id");
	}

	@Test
	void whatIsLeftAfterACallThatWasStuckIsFreedBeforeListenersAreTold() {
		CountDownLatch stuck = new CountDownLatch(1);
		List<String> told = new CopyOnWriteArrayList<>();
		DestroyListener reader = new DestroyListener() {

			@Override
			public void destroyEnded(DestroyReport report) {
				told.clear();
			}

			@Override
			public void returnedLate(String endpoint, long connection, StepReport step, Duration stuckFor) {
				told.add("return, last step: "
						+ OrderlyDestroyTests.this.calls.get(OrderlyDestroyTests.this.calls.size() - 1));
			}

			@Override
			public void lateStepEnded(String endpoint, long connection, StepReport step) {
				told.add(step.step().tag());
			}

		};
		DestroyMember member = member("a",
				Map.of(DestroyStepName.DESTROY_CQ, (deadline) -> Deadline.after(Duration.ofMinutes(1)).await(stuck)));
		new OrderlyDestroy(LIMITS, reader).run(List.of(new DestroyGroup("a", 0, List.of(member))),
				DestroyTrigger.SHUTDOWN);
		stuck.countDown();
		await().atMost(Duration.ofSeconds(10))
			.untilAsserted(() -> assertThat(told).containsExactly("return, last step: a destroy-id", "release-device",
					"destroy-id"));
	}

	@Test
	void stepThatFailsAfterACallThatWasStuckIsToldAndWarnedOf() {
		CountDownLatch stuck = new CountDownLatch(1);
		run(LIMITS,
				member("a",
						Map.of(DestroyStepName.DESTROY_QP,
								(deadline) -> Deadline.after(Duration.ofMinutes(1)).await(stuck),
								DestroyStepName.DEREG_MR, (deadline) -> {
									throw new RdmaException("ibv_dereg_mr", Errno.EBUSY.value());
								})));
		assertThat(this.lateSteps).as("late steps while the call is stuck").isEmpty();
		stuck.countDown();
		await().atMost(Duration.ofSeconds(10))
			.untilAsserted(() -> assertThat(this.lateSteps).as("late steps")
				.contains("a dereg-mr failure EBUSY", "a destroy-id success none"));
		assertThat(this.log.list).as("warnings of the late step that failed")
			.filteredOn((event) -> event.getLevel() == Level.WARN)
			.extracting(ILoggingEvent::getFormattedMessage)
			.filteredOn((message) -> message.contains("dereg-mr"))
			.singleElement(InstanceOfAssertFactories.STRING)
			.contains("of a failed", "ibv_dereg_mr", "EBUSY");
	}

	@Test
	void peersThatNeverAnswerShareOneGracePeriod() {
		CountDownLatch never = new CountDownLatch(1);
		DestroyMember[] members = new DestroyMember[20];
		for (int i = 0; i < members.length; i++) {
			members[i] = member("m" + i,
					Map.of(DestroyStepName.AWAIT_DISCONNECTED, (deadline) -> deadline.await(never)));
		}
		long begin = System.nanoTime();
		List<DestroyReport> reports = run(LIMITS, members);
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isBetween(Duration.ofMillis(300),
				Duration.ofMillis(1500));
		assertThat(reports).allSatisfy((report) -> {
			assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.SUCCESS);
			assertThat(report.steps()).anySatisfy((step) -> assertThat(step.outcome()).isEqualTo(StepOutcome.EXPIRED));
		});
	}

	@ParameterizedTest
	@EnumSource(names = { "DESTROY_QP", "AWAIT_DISCONNECTED" })
	void theWholeHasALimitHoweverLongEachCallMayTake(DestroyStepName step) {
		DestroyLimits patient = new DestroyLimits(Duration.ofMillis(300), Duration.ofSeconds(50),
				Duration.ofSeconds(50), Duration.ofSeconds(50));
		CountDownLatch stuck = new CountDownLatch(1);
		long begin = System.nanoTime();
		List<DestroyReport> reports = run(patient, member("a", Map.of(step, (deadline) -> {
			Deadline.after(Duration.ofMinutes(1)).await(stuck);
			return true;
		})));
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isBetween(Duration.ofMillis(300),
				Duration.ofSeconds(5));
		assertThat(reports).singleElement()
			.satisfies((report) -> assertThat(report.result()).as(report.toLine()).isEqualTo(DestroyResult.TIMEOUT));
		stuck.countDown();
		await().atMost(Duration.ofSeconds(10)).until(() -> this.calls.contains("a destroy-id"));
	}

	@Test
	void whatIsNotBegunWhenTheTimeIsUpGoesOnInTheBackground() {
		DestroyLimits tight = new DestroyLimits(Duration.ofMillis(200), Duration.ofMillis(300), Duration.ofMillis(300),
				Duration.ofMillis(300));
		CountDownLatch stuck = new CountDownLatch(1);
		DestroyStep block = (deadline) -> Deadline.after(Duration.ofMinutes(1)).await(stuck);
		long begin = System.nanoTime();
		List<DestroyReport> reports = run(tight, member("a", Map.of(DestroyStepName.DISCONNECT, block)),
				member("b", Map.of()));
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(2));
		assertThat(reports.get(0).result()).isEqualTo(DestroyResult.TIMEOUT);
		await().atMost(Duration.ofSeconds(10)).until(() -> this.calls.contains("b destroy-id"));
		stuck.countDown();
		await().atMost(Duration.ofSeconds(10)).until(() -> this.calls.contains("a destroy-id"));
	}

}
