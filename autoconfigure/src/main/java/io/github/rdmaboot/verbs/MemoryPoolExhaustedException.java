package io.github.rdmaboot.verbs;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;

/**
 * A pool of registered memory has reached its bound; nothing was registered.
 */
public final class MemoryPoolExhaustedException extends RdmaException {

	private static final long serialVersionUID = 1L;

	MemoryPoolExhaustedException(int size, long used, long registered, long maxSize) {
		super("ibv_reg_mr", Errno.ENOMEM.value(),
				"The pool of registered memory has no " + size + " bytes left in one piece (ENOMEM): " + used + " of "
						+ registered + " registered bytes are in use, and rdma.memory.pool.max-size is " + maxSize
						+ " bytes. Raise it, or use fewer or smaller buffers");
	}

}
