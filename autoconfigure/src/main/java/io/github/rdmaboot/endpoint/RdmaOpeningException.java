package io.github.rdmaboot.endpoint;

import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * Failure of a start in a call that is for no endpoint alone: one by which a registry of
 * endpoints looks at the devices, makes its event channel or starts its threads.
 */
public final class RdmaOpeningException extends RdmaException {

	private static final String TOO_MANY_FILES = "Too many open files";

	/**
	 * Create the exception.
	 * @param call the C function
	 * @param errno its errno
	 * @param message the message
	 */
	RdmaOpeningException(String call, int errno, String message) {
		super(call, errno, message);
	}

	// Those that say more by their type stay what they are.
	static RuntimeException of(RdmaException failure) {
		if (failure.getClass() != RdmaException.class) {
			return failure;
		}
		RdmaOpeningException opening = new RdmaOpeningException(failure.call(), failure.errno(),
				String.valueOf(failure.getMessage()));
		opening.initCause(failure);
		return opening;
	}

	// Files of the kernel that cannot be read, of which Java gives no errno.
	static RuntimeException of(UncheckedIOException failure) {
		Throwable cause = failure.getCause();
		Errno errno = errno(cause);
		String message = "open failed with " + Errno.describe(errno.value()) + ": " + failure.getMessage();
		RdmaOpeningException opening = new RdmaOpeningException("open", errno.value(),
				(cause != null) ? message + ": " + cause.getMessage() : message);
		opening.initCause(failure);
		return opening;
	}

	private static Errno errno(@Nullable Throwable cause) {
		if (cause instanceof AccessDeniedException) {
			return Errno.EACCES;
		}
		String reason = (cause instanceof FileSystemException failure) ? failure.getReason() : null;
		return (reason != null && reason.startsWith(TOO_MANY_FILES)) ? Errno.EMFILE : Errno.EIO;
	}

}
