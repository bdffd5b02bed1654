package io.github.rdmaboot.verbs;

import java.time.Duration;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * How completions are taken. The queues of a device that have the same policy share a
 * thread.
 *
 * @param mode how the thread learns of completions
 * @param spinTime how long it goes on asking a queue that is silent, in the adaptive
 * mode; not kept in the others
 * @param cpu the CPU that the thread is pinned to, from 0, or {@code null} for any
 */
public record CompletionPolicy(CompletionMode mode, Duration spinTime, @Nullable Integer cpu) {

	public CompletionPolicy {
		spinTime = (mode == CompletionMode.ADAPTIVE) ? spinTime : Duration.ZERO;
	}

	// What tells the thread's name from those of other policies.
	String suffix() {
		String mode = (this.mode != CompletionMode.EVENT) ? "-" + this.mode.name().toLowerCase(Locale.ROOT) : "";
		return (this.cpu != null) ? mode + "-cpu" + this.cpu : mode;
	}

}
