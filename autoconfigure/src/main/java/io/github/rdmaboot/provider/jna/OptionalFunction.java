package io.github.rdmaboot.provider.jna;

import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;

/**
 * A function that not every supported version of its library exports; looked up when it
 * is called.
 */
final class OptionalFunction {

	private final String library;

	private final String name;

	OptionalFunction(String library, String name) {
		this.library = library;
		this.name = name;
	}

	/**
	 * Call the function.
	 * @param arguments the arguments, {@link Long} for pointers and {@link Integer} for
	 * all smaller numbers
	 * @return what it returned
	 * @throws RdmaException with ENOSYS when the library has no such function
	 */
	int call(Object... arguments) {
		return find().invokeInt(arguments);
	}

	/**
	 * Call the function and check its result, which is -1 with errno for a failure.
	 * @param arguments the arguments
	 */
	void callOrThrow(Object... arguments) {
		CallOutcome.requireNotMinusOne(this.name, call(arguments));
	}

	private Function find() {
		try {
			return NativeLibrary.getInstance(this.library).getFunction(this.name);
		}
		catch (UnsatisfiedLinkError ex) {
			RdmaException failure = new RdmaException(this.name, Errno.ENOSYS.value(),
					this.name + " failed with " + Errno.describe(Errno.ENOSYS.value()) + ": the installed "
							+ this.library + " does not have it; a newer rdma-core does");
			failure.initCause(ex);
			throw failure;
		}
	}

}
