package io.github.rdmaboot.endpoint.destroy;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * Listener or connection that takes part in a destroy. Its steps are taken one at a time,
 * each on a reaper thread.
 *
 * @param subject what it is, for reports: {@code echo} or {@code echo#3} for instance
 * @param connection whether it is a connection and not a listener
 * @param steps the steps that apply to it
 */
public record DestroyMember(String subject, boolean connection, Map<DestroyStepName, DestroyStep> steps) {

	public DestroyMember {
		Map<DestroyStepName, DestroyStep> copy = new EnumMap<>(DestroyStepName.class);
		copy.putAll(steps);
		steps = Collections.unmodifiableMap(copy);
	}

}
