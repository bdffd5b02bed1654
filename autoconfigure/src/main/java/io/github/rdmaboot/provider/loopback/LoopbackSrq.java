package io.github.rdmaboot.provider.loopback;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;

/**
 * Shared receive queue of the loopback. Guarded by the fabric's lock.
 */
final class LoopbackSrq {

	private final LoopbackPd pd;

	private final ReceiveQueue receives;

	/** Handle, 0 until the table gave one. */
	long handle;

	private int users;

	LoopbackSrq(LoopbackPd pd, int maxWr, int maxSge) {
		if (maxWr < 1 || maxWr > DeviceLimits.MAX_WR || maxSge < 1 || maxSge > DeviceLimits.MAX_SGE) {
			throw new RdmaException("rdma_create_srq", Errno.EINVAL.value());
		}
		this.pd = pd;
		this.receives = new ReceiveQueue(maxWr, maxSge);
		pd.use();
	}

	LoopbackPd pd() {
		return this.pd;
	}

	ReceiveQueue receives() {
		return this.receives;
	}

	void use() {
		this.users++;
	}

	void release() {
		this.users--;
	}

	void destroy() {
		if (this.users > 0) {
			throw new RdmaException("rdma_destroy_srq", Errno.EBUSY.value());
		}
		this.pd.release();
	}

}
