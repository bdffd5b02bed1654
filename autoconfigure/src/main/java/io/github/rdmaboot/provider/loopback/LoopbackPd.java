package io.github.rdmaboot.provider.loopback;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;

/**
 * Protection domain of the loopback. Guarded by the fabric's lock.
 */
final class LoopbackPd {

	private final DeviceContext device;

	private int users;

	LoopbackPd(DeviceContext device) {
		this.device = device;
	}

	DeviceContext device() {
		return this.device;
	}

	void use() {
		this.users++;
	}

	void release() {
		this.users--;
	}

	void requireUnused() {
		if (this.users > 0) {
			throw new RdmaException("ibv_dealloc_pd", Errno.EBUSY.value());
		}
	}

}
