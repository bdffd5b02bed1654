package io.github.rdmaboot.autoconfigure.metrics;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.step.StepMeterRegistry;
import io.micrometer.core.instrument.step.StepRegistryConfig;
import org.jspecify.annotations.Nullable;

/**
 * Push registry that publishes on close only, and remembers for each publish how many
 * destroys of each trigger were in it.
 */
class RecordingStepRegistry extends StepMeterRegistry {

	private static final StepRegistryConfig CONFIG = new StepRegistryConfig() {

		@Override
		public String prefix() {
			return "recording";
		}

		@Override
		public @Nullable String get(String key) {
			return null;
		}

		@Override
		public Duration step() {
			return Duration.ofHours(1);
		}

	};

	private final List<List<String>> published = new CopyOnWriteArrayList<>();

	RecordingStepRegistry() {
		super(CONFIG, Clock.SYSTEM);
	}

	@Override
	protected void publish() {
		this.published.add(find("rdma.endpoint.destroy").timers()
			.stream()
			.filter((timer) -> timer.count() > 0)
			.map(RecordingStepRegistry::describe)
			.sorted()
			.toList());
	}

	private static String describe(Timer timer) {
		return timer.getId().getTag("endpoint") + " " + timer.getId().getTag("trigger") + " "
				+ timer.getId().getTag("result") + " " + timer.count();
	}

	@Override
	protected TimeUnit getBaseTimeUnit() {
		return TimeUnit.MILLISECONDS;
	}

	/**
	 * Return what was published.
	 * @return for each publish, a line for each destroy timer that is not zero
	 */
	List<List<String>> published() {
		return this.published;
	}

}
