package io.github.rdmaboot.provider;

import org.jspecify.annotations.Nullable;

/**
 * Error numbers of Linux on the 64-bit architectures that the starter runs on, kept here
 * because asking the C library for a name could overwrite the error itself.
 */
public enum Errno {

	/** Operation not permitted. */
	EPERM(1, "operation not permitted"),

	/** No such file or directory. */
	ENOENT(2, "no such file or directory"),

	/** Interrupted. */
	EINTR(4, "interrupted"),

	/** Input/output error. */
	EIO(5, "input/output error"),

	/** Device removed. */
	ENXIO(6, "device removed"),

	/** Bad file descriptor. */
	EBADF(9, "bad file descriptor"),

	/** Try again. */
	EAGAIN(11, "try again"),

	/** Cannot allocate memory. */
	ENOMEM(12, "cannot allocate memory"),

	/** Permission denied. */
	EACCES(13, "permission denied"),

	/** Bad address. */
	EFAULT(14, "bad address"),

	/** In use. */
	EBUSY(16, "in use"),

	/** Exists already. */
	EEXIST(17, "exists already"),

	/** No such device. */
	ENODEV(19, "no such device"),

	/** Invalid argument or state. */
	EINVAL(22, "invalid argument or state"),

	/** Too many open files in the system. */
	ENFILE(23, "too many open files in the system"),

	/** Too many open files. */
	EMFILE(24, "too many open files"),

	/** No space left. */
	ENOSPC(28, "no space left"),

	/** Not implemented. */
	ENOSYS(38, "not implemented"),

	/** No data. */
	ENODATA(61, "no data"),

	/** Protocol error. */
	EPROTO(71, "protocol error"),

	/** Not supported. */
	EOPNOTSUPP(95, "not supported"),

	/** Address family not supported. */
	EAFNOSUPPORT(97, "address family not supported"),

	/** Address already in use. */
	EADDRINUSE(98, "address already in use"),

	/** Address not available. */
	EADDRNOTAVAIL(99, "address not available"),

	/** Network is unreachable. */
	ENETUNREACH(101, "network is unreachable"),

	/** Connection aborted. */
	ECONNABORTED(103, "connection aborted"),

	/** Connection reset by peer. */
	ECONNRESET(104, "connection reset by peer"),

	/** Already connected. */
	EISCONN(106, "already connected"),

	/** Not connected. */
	ENOTCONN(107, "not connected"),

	/** Timed out. */
	ETIMEDOUT(110, "timed out"),

	/** Connection refused. */
	ECONNREFUSED(111, "connection refused"),

	/** No route to host. */
	EHOSTUNREACH(113, "no route to host"),

	/** Cancelled. */
	ECANCELED(125, "cancelled"),

	/** Operation not supported, as some drivers and the CM of the kernel put it. */
	ENOTSUPP(524, "not supported by the kernel");

	private final int value;

	private final String text;

	Errno(int value, String text) {
		this.value = value;
		this.text = text;
	}

	/**
	 * Return the number.
	 * @return the number
	 */
	public int value() {
		return this.value;
	}

	/**
	 * Return the error with a number.
	 * @param value the number
	 * @return the error, or {@code null} for a number that is not known
	 */
	public static @Nullable Errno of(int value) {
		for (Errno candidate : values()) {
			if (candidate.value == value) {
				return candidate;
			}
		}
		return null;
	}

	/**
	 * Return the symbol of a number, which is what metrics are tagged with.
	 * @param value the number
	 * @return {@code EBUSY} for instance, or {@code errno 999}
	 */
	public static String symbol(int value) {
		Errno errno = of(value);
		return (errno != null) ? errno.name() : "errno " + value;
	}

	/**
	 * Return symbol, number and meaning of a number.
	 * @param value the number
	 * @return {@code EBUSY (16, in use)} for instance
	 */
	public static String describe(int value) {
		Errno errno = of(value);
		return (errno != null) ? errno.name() + " (" + value + ", " + errno.text + ")" : "errno " + value;
	}

}
