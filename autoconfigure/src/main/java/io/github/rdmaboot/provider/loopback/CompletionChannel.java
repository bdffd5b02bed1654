package io.github.rdmaboot.provider.loopback;

import java.util.ArrayDeque;
import java.util.Queue;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * Completion channel of the loopback. Guarded by the fabric's lock.
 */
final class CompletionChannel extends EventSource {

	private final Queue<LoopbackCq> events = new ArrayDeque<>();

	private int users;

	@Override
	boolean isReady() {
		return !this.events.isEmpty();
	}

	void use() {
		this.users++;
	}

	void release(LoopbackCq cq) {
		this.users--;
		this.events.removeIf((event) -> event == cq);
	}

	void requireUnused() {
		if (this.users > 0) {
			throw new RdmaException("ibv_destroy_comp_channel", Errno.EBUSY.value());
		}
	}

	void notify(LoopbackCq cq) {
		this.events.add(cq);
		signal();
	}

	@Nullable LoopbackCq next() {
		LoopbackCq cq = this.events.poll();
		if (cq != null) {
			cq.events().fetched();
		}
		return cq;
	}

}
