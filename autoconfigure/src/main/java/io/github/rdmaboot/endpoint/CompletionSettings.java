package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.util.concurrent.Executor;

import io.github.rdmaboot.verbs.CompletionMode;
import io.github.rdmaboot.verbs.CompletionPolicy;
import org.jspecify.annotations.Nullable;

/**
 * How the completions of an endpoint's connections are taken and handed on. The
 * connections on a device whose settings are equal, but for the handlers, share a thread.
 *
 * @param mode how the thread learns of completions
 * @param spinTime how long the thread goes on polling after the last completion before it
 * sleeps, in the adaptive mode, 1 µs to 1 s
 * @param cpu the CPU that the thread is pinned to, 0 to 8191, or {@code null} for any
 * @param handlers where message handlers, callbacks and what depends on futures run
 */
public record CompletionSettings(CompletionMode mode, Duration spinTime, @Nullable Integer cpu,
		HandlerThread handlers) {

	private static final Duration DEFAULT_SPIN_TIME = Duration.ofNanos(50_000);

	private static final Duration MIN_SPIN_TIME = Duration.ofNanos(1000);

	private static final Duration MAX_SPIN_TIME = Duration.ofSeconds(1);

	/** What Linux can be built for. */
	private static final int MAX_CPU = 8191;

	public CompletionSettings {
		Settings.between("spin-time", spinTime, MIN_SPIN_TIME, MAX_SPIN_TIME);
		if (cpu != null) {
			Settings.between("cpu", cpu, 0, MAX_CPU);
		}
	}

	/**
	 * Return the settings that hold unless configured otherwise.
	 * @return by event, on any CPU, handlers on the executor
	 */
	public static CompletionSettings defaults() {
		return of(CompletionMode.EVENT, HandlerThread.EXECUTOR);
	}

	/**
	 * Return settings with a spin time of 50 µs and a thread on any CPU.
	 * @param mode how the thread learns of completions
	 * @param handlers where handlers run
	 * @return the settings
	 */
	public static CompletionSettings of(CompletionMode mode, HandlerThread handlers) {
		return new CompletionSettings(mode, DEFAULT_SPIN_TIME, null, handlers);
	}

	CompletionPolicy policy() {
		return new CompletionPolicy(this.mode, this.spinTime, this.cpu);
	}

	Executor executor(Executor handlerExecutor) {
		return (this.handlers == HandlerThread.COMPLETION_THREAD) ? new CompletionExecutor(handlerExecutor)
				: handlerExecutor;
	}

}
