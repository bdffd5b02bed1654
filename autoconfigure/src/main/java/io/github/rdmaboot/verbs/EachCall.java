package io.github.rdmaboot.verbs;

import org.jspecify.annotations.Nullable;

/**
 * Makes calls one after the other, each also if others fail, and throws the first failure
 * in the end. Used by one thread.
 */
public final class EachCall {

	private @Nullable RuntimeException failure;

	/**
	 * Make a call, and keep what it throws.
	 * @param call the call
	 */
	public void run(Runnable call) {
		try {
			call.run();
		}
		catch (RuntimeException ex) {
			RuntimeException first = this.failure;
			if (first == null) {
				this.failure = ex;
			}
			else {
				first.addSuppressed(ex);
			}
		}
	}

	/**
	 * Throw the first failure, if there was one, with the others as suppressed ones.
	 */
	public void throwFirst() {
		RuntimeException first = this.failure;
		if (first != null) {
			throw first;
		}
	}

}
