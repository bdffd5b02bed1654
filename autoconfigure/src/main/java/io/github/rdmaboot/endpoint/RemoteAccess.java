package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.AccessFlag;

/**
 * What the peers of a device may do to registered memory.
 */
public enum RemoteAccess {

	/** Read it; {@code IBV_ACCESS_REMOTE_READ}. */
	READ(AccessFlag.REMOTE_READ),

	/** Write to it; {@code IBV_ACCESS_REMOTE_WRITE}. */
	WRITE(AccessFlag.REMOTE_WRITE),

	/** Compare and swap in it and add to it; {@code IBV_ACCESS_REMOTE_ATOMIC}. */
	ATOMIC(AccessFlag.REMOTE_ATOMIC);

	private final AccessFlag flag;

	RemoteAccess(AccessFlag flag) {
		this.flag = flag;
	}

	// The flags of memory that the own device may write to as well.
	static int flags(RemoteAccess... access) {
		int flags = AccessFlag.LOCAL_WRITE.value();
		for (RemoteAccess one : access) {
			flags |= one.flag.value();
		}
		return flags;
	}

}
