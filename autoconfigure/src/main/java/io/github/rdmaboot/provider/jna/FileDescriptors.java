package io.github.rdmaboot.provider.jna;

import com.sun.jna.Library;
import com.sun.jna.Native;

/**
 * Flags of file descriptors, by {@code fcntl}.
 */
final class FileDescriptors {

	private static final VariadicLibc LIBC = Native.load(VariadicLibc.class);

	private FileDescriptors() {
	}

	/**
	 * Make a file descriptor non-blocking. It must be private to this process, because
	 * the flag belongs to the open file.
	 * @param fd the file descriptor
	 */
	static void setNonBlocking(int fd) {
		int flags = LIBC.fcntl(fd, Libc.F_GETFL, 0);
		CallOutcome.requireNotMinusOne("fcntl", flags);
		if ((flags & Libc.O_NONBLOCK) == 0) {
			CallOutcome.requireNotMinusOne("fcntl", LIBC.fcntl(fd, Libc.F_SETFL, flags | Libc.O_NONBLOCK));
		}
	}

	/**
	 * Tell whether a number is an open file descriptor that a child process does not
	 * inherit.
	 * @param fd the number
	 * @return whether it is one
	 */
	static boolean isOpenAndCloseOnExec(int fd) {
		int flags = (fd >= 0) ? LIBC.fcntl(fd, Libc.F_GETFD, 0) : -1;
		return flags != -1 && (flags & Libc.FD_CLOEXEC) != 0;
	}

	/**
	 * The variadic functions of the C library. Direct mapping passes all arguments as
	 * named ones, which not every architecture allows for them.
	 */
	interface VariadicLibc extends Library {

		/**
		 * Change or return flags.
		 * @param fd the file descriptor
		 * @param command the command
		 * @param arguments one number
		 * @return the flags or 0, -1 for an error
		 */
		int fcntl(int fd, int command, Object... arguments);

	}

}
