package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.RdmaException;

/**
 * Failure of a start in a call that is for no endpoint alone: one by which a registry of
 * endpoints looks at the devices, makes its event channel or starts its threads.
 */
public final class RdmaOpeningException extends RdmaException {

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

}
