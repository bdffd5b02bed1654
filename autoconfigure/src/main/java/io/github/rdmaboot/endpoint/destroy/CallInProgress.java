package io.github.rdmaboot.endpoint.destroy;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

import io.github.rdmaboot.provider.RdmaProvider;

/**
 * Native calls that a thread is making, one after the other, for which a destroy has to
 * wait.
 */
public final class CallInProgress {

	private static final Map<String, String> FUNCTIONS = functions();

	private final Thread thread = Thread.currentThread();

	private final Runnable givenUp;

	private volatile long beganAt = System.nanoTime();

	/**
	 * Begin a call on the current thread.
	 * @param givenUp run when nobody waits for the call any more, perhaps after it has
	 * returned
	 */
	public CallInProgress(Runnable givenUp) {
		this.givenUp = givenUp;
	}

	/**
	 * The thread goes on to its next call.
	 */
	public void next() {
		this.beganAt = System.nanoTime();
	}

	Duration elapsed() {
		return Duration.ofNanos(System.nanoTime() - this.beganAt);
	}

	Thread thread() {
		return this.thread;
	}

	void giveUp() {
		this.givenUp.run();
	}

	/**
	 * Return the C function that a thread is inside of, by the provider's method on its
	 * stack. Asked of threads alone that are stuck, so no call need leave word.
	 * @param thread the thread
	 * @param otherwise what to return if it is inside of none
	 * @return the function
	 */
	public static String function(Thread thread, String otherwise) {
		return function(thread.getStackTrace(), otherwise);
	}

	// Return the C function that was to be called when something else than its failure
	// was thrown, or an empty name if there was none.
	static String function(Throwable thrown) {
		return function(thrown.getStackTrace(), "");
	}

	private static String function(StackTraceElement[] stack, String otherwise) {
		for (StackTraceElement frame : stack) {
			String function = FUNCTIONS.get(frame.getMethodName());
			if (function != null) {
				return function;
			}
		}
		return otherwise;
	}

	// Return the C functions by the provider's methods that may not return.
	private static Map<String, String> functions() {
		Map<String, String> functions = new HashMap<>(Map.of("describeDevices", "read", "createWaker", "eventfd",
				"wake", "write", "destroyWaker", "close", "awaitCmEvent", "poll", "awaitCqEvent", "poll", "pinThread",
				"sched_setaffinity", "closeCompletionChannel", "close"));
		for (Method method : RdmaProvider.class.getMethods()) {
			String name = method.getName();
			if (name.matches("(rdma|ibv)[A-Z].*")) {
				functions.put(name, name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT));
			}
		}
		return functions;
	}

}
