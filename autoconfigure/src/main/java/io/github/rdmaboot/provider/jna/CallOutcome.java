package io.github.rdmaboot.provider.jna;

import com.sun.jna.Native;
import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;

/**
 * Turns C's conventions of reporting an error into exceptions. Each method must be given
 * the result straight from the call, on the same thread, because errno is only valid
 * until the next one.
 */
final class CallOutcome {

	private CallOutcome() {
	}

	/**
	 * Check a call that returns -1 and sets errno.
	 * @param call the C function
	 * @param result what it returned
	 */
	static void requireNotMinusOne(String call, int result) {
		if (result == -1) {
			throw new RdmaException(call, lastErrno());
		}
	}

	/**
	 * Check a call that returns the error number itself.
	 * @param call the C function
	 * @param result what it returned
	 */
	static void requireZero(String call, int result) {
		if (result != 0) {
			// Some drivers return -1 and set errno where the interface says errno.
			throw new RdmaException(call, (result > 0) ? result : lastErrno());
		}
	}

	/**
	 * Check a call that returns NULL and sets errno.
	 * @param call the C function
	 * @param result what it returned
	 * @return the pointer
	 */
	static long requirePointer(String call, long result) {
		if (result == 0) {
			throw new RdmaException(call, lastErrno());
		}
		return result;
	}

	/**
	 * Return the error number of the last call on this thread, which must have failed.
	 * @return the error number, positive
	 */
	static int lastErrno() {
		int errno = Native.getLastError();
		return (errno > 0) ? errno : Errno.EIO.value();
	}

}
