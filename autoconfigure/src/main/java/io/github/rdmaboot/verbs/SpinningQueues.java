package io.github.rdmaboot.verbs;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * Queues that are polled again and again until they have been silent for a while, then
 * armed. Belongs to one thread.
 */
final class SpinningQueues {

	private @Nullable CompletionQueue[] queues = new CompletionQueue[8];

	private long[] lastTaken = new long[8];

	private int count;

	boolean isEmpty() {
		return this.count == 0;
	}

	void add(CompletionQueue queue, long now) {
		for (int i = 0; i < this.count; i++) {
			if (this.queues[i] == queue) {
				return;
			}
		}
		if (this.count == this.queues.length) {
			this.queues = Arrays.copyOf(this.queues, 2 * this.count);
			this.lastTaken = Arrays.copyOf(this.lastTaken, 2 * this.count);
		}
		this.queues[this.count] = queue;
		this.lastTaken[this.count] = now;
		this.count++;
	}

	// Poll each queue once and arm those that have been silent for too long. Return
	// whether something was taken.
	boolean poll(long now, long silenceNanos) {
		boolean any = false;
		for (int i = this.count - 1; i >= 0; i--) {
			CompletionQueue queue = this.queues[i];
			if (queue != null && queue.take()) {
				this.lastTaken[i] = now;
				any = true;
			}
			else if (now - this.lastTaken[i] >= silenceNanos) {
				remove(i);
				if (queue != null && queue.isMoreExpected()) {
					any |= queue.armAndTake();
				}
			}
		}
		return any;
	}

	private void remove(int index) {
		this.count--;
		this.queues[index] = this.queues[this.count];
		this.lastTaken[index] = this.lastTaken[this.count];
		this.queues[this.count] = null;
	}

}
