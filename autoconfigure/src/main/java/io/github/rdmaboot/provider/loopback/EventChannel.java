package io.github.rdmaboot.provider.loopback;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Event channel of the loopback. Guarded by the fabric's lock.
 */
final class EventChannel extends EventSource {

	private final LoopbackProcess process;

	/** Events in the order in which they happened. */
	final Set<QueuedEvent> events = new LinkedHashSet<>();

	/** Ids that report here. */
	final Set<LoopbackCmId> ids = new LinkedHashSet<>();

	EventChannel(LoopbackProcess process) {
		this.process = process;
	}

	LoopbackProcess process() {
		return this.process;
	}

	@Override
	boolean isReady() {
		return !this.events.isEmpty();
	}

}
