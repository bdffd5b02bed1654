package io.github.rdmaboot.verbs;

import org.jspecify.annotations.Nullable;

/**
 * Makes calls one after the other, each also if others fail, and throws the first failure
 * in the end. Used by one thread.
 */
public final class EachCall {

	private @Nullable Throwable failure;

	/**
	 * Make a call, and keep what it throws.
	 * @param call the call
	 */
	public void run(Runnable call) {
		try {
			call.run();
		}
		catch (RuntimeException | Error ex) {
			Throwable first = this.failure;
			if (first == null) {
				this.failure = ex;
			}
			else if (first != ex) {
				// The JVM throws the same OutOfMemoryError more than once.
				first.addSuppressed(ex);
			}
		}
	}

	/**
	 * Throw the first failure, if there was one, with the others as suppressed ones.
	 */
	public void throwFirst() {
		if (this.failure instanceof RuntimeException first) {
			throw first;
		}
		if (this.failure instanceof Error first) {
			throw first;
		}
	}

}
