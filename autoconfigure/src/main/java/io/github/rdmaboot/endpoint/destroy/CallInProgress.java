package io.github.rdmaboot.endpoint.destroy;

import java.time.Duration;
import java.util.Locale;

/**
 * Native calls that a thread is making, one after the other, for which a destroy has to
 * wait.
 */
public final class CallInProgress {

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
		for (StackTraceElement frame : thread.getStackTrace()) {
			String method = frame.getMethodName();
			if (method.matches("(rdma|ibv)[A-Z][A-Za-z]*")) {
				return method.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
			}
		}
		return otherwise;
	}

}
