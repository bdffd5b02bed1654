package io.github.rdmaboot.verbs;

import java.util.concurrent.atomic.AtomicBoolean;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.ReceiveWorkRequest;

/**
 * Receive queue of several queue pairs. All methods may be called from any thread.
 */
public final class SharedReceiveQueue {

	private final RdmaProvider provider;

	private final long handle;

	private final PostGate gate = new PostGate();

	private final AtomicBoolean destroyed = new AtomicBoolean();

	private SharedReceiveQueue(RdmaProvider provider, long handle) {
		this.provider = provider;
		this.handle = handle;
	}

	/**
	 * Create a queue; stands for {@code ibv_create_srq}.
	 * @param device the device
	 * @param maxWr how many receives it holds at least
	 * @param maxSge how many buffers a receive has at most
	 * @return the queue
	 * @throws RdmaException on EINVAL, ENOMEM
	 */
	public static SharedReceiveQueue create(Device device, int maxWr, int maxSge) {
		return new SharedReceiveQueue(device.provider(), device.provider().ibvCreateSrq(device.pd(), maxWr, maxSge));
	}

	long handle() {
		return this.handle;
	}

	/**
	 * Post receives; stands for {@code ibv_post_srq_recv}.
	 * @param first the first request
	 * @return 0 or an errno: ENOTCONN when the queue is being destroyed
	 */
	public int post(ReceiveWorkRequest first) {
		if (!this.gate.enter()) {
			return Errno.ENOTCONN.value();
		}
		try {
			return this.provider.ibvPostSrqRecv(this.handle, first);
		}
		finally {
			this.gate.leave();
		}
	}

	/**
	 * Destroy the queue; stands for {@code ibv_destroy_srq}. Does nothing the second
	 * time.
	 * @throws RdmaException on EBUSY while a queue pair uses it
	 */
	public void destroy() {
		if (this.destroyed.compareAndSet(false, true)) {
			this.gate.close();
			this.provider.ibvDestroySrq(this.handle);
		}
	}

}
