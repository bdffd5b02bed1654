package io.github.rdmaboot.endpoint;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.rdmaboot.endpoint.destroy.DestroyReport;
import io.github.rdmaboot.endpoint.destroy.DestroyStepName;
import io.github.rdmaboot.endpoint.destroy.StepOutcome;
import io.github.rdmaboot.endpoint.destroy.StepReport;

/**
 * Calls of an endpoint that were left behind with their threads. A call may return before
 * the report of its destroy says that it is stuck. Guarded by the monitor of the
 * endpoint.
 */
final class Quarantine {

	private final Map<Key, StuckCall> calls = new LinkedHashMap<>();

	private final Set<Key> returnedEarly = new HashSet<>();

	void add(DestroyReport report) {
		for (StepReport step : report.steps()) {
			if (step.outcome() == StepOutcome.TIMEOUT && !this.returnedEarly.remove(Key.of(step))) {
				this.calls.put(Key.of(step), new StuckCall(step.call(), step.subject(), step.startedAt()));
			}
		}
	}

	void returned(StepReport step) {
		if (this.calls.remove(Key.of(step)) == null) {
			this.returnedEarly.add(Key.of(step));
		}
	}

	boolean isEmpty() {
		return this.calls.isEmpty();
	}

	List<StuckCall> calls() {
		return List.copyOf(this.calls.values());
	}

	private record Key(String subject, DestroyStepName step) {

		private static Key of(StepReport report) {
			return new Key(report.subject(), report.step());
		}

	}

}
