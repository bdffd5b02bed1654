package io.github.rdmaboot.provider.jna;

import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;

/**
 * The functions of the C library that waiting, pinning and diagnosing need,
 * direct-mapped, and their constants as Linux has them on every supported architecture.
 */
final class Libc {

	static final int F_GETFD = 1;

	static final int F_GETFL = 3;

	static final int F_SETFL = 4;

	static final int FD_CLOEXEC = 1;

	static final int O_NONBLOCK = 0x800;

	static final int EFD_CLOEXEC = 0x80000;

	static final int EFD_NONBLOCK = 0x800;

	static final int POLLIN = 1;

	static final int POLLERR = 8;

	static final int POLLHUP = 16;

	static final int POLLNVAL = 32;

	static final int RLIMIT_MEMLOCK = 8;

	static {
		Native.register(Libc.class, NativeLibrary.getProcess());
	}

	private Libc() {
	}

	static native int eventfd(int initialValue, int flags);

	static native long read(int fd, long buffer, long count);

	static native long write(int fd, long buffer, long count);

	static native int close(int fd);

	static native int poll(long fds, long count, int timeoutMillis);

	static native int getrlimit(int resource, long limit);

	static native int sched_setaffinity(int pid, long size, long mask);

	static native long gai_strerror(int code);

}
