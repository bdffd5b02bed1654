package io.github.rdmaboot.verbs;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.WorkCompletion;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Completion queue whose completions are taken when its channel reports an event.
 * <p>
 * {@code pollLock} keeps polls apart from each other and from the destroy. It is not held
 * while the queue is destroyed natively, so a destroy that is stuck does not stop the
 * channel's thread.
 */
public final class CompletionQueue {

	private static final Logger logger = LoggerFactory.getLogger(CompletionQueue.class);

	private static final int BATCH = 16;

	private final RdmaProvider provider;

	private final CompletionChannel channel;

	private final CompletionHandler handler;

	private final ReentrantLock pollLock = new ReentrantLock();

	private final WorkCompletion[] completions = new WorkCompletion[BATCH];

	private final long handle;

	private boolean closed;

	private @Nullable BooleanSupplier outstanding;

	private CompletionQueue(RdmaProvider provider, CompletionChannel channel, CompletionHandler handler, long handle) {
		this.provider = provider;
		this.channel = channel;
		this.handler = handler;
		this.handle = handle;
		for (int i = 0; i < BATCH; i++) {
			this.completions[i] = new WorkCompletion();
		}
	}

	/**
	 * Create a completion queue and ask for its first event; stands for
	 * {@code ibv_create_cq} and {@code ibv_req_notify_cq}.
	 * @param device the device
	 * @param entries how many completions it holds at least
	 * @param handler takes the completions
	 * @return the completion queue
	 * @throws RdmaException on EINVAL, ENOMEM
	 */
	public static CompletionQueue create(Device device, int entries, CompletionHandler handler) {
		RdmaProvider provider = device.provider();
		CompletionChannel channel = device.completionChannel();
		long handle = provider.ibvCreateCq(device.context(), entries, channel.handle(), 0);
		CompletionQueue queue = new CompletionQueue(provider, channel, handler, handle);
		channel.attach(handle, queue);
		try {
			provider.ibvReqNotifyCq(handle, false);
		}
		catch (RuntimeException ex) {
			queue.close();
			throw ex;
		}
		return queue;
	}

	long handle() {
		return this.handle;
	}

	/**
	 * Ask for events only as long as completions are expected: from the time when no more
	 * work is posted.
	 * @param outstanding tells whether completions are expected
	 */
	public void notifyWhile(BooleanSupplier outstanding) {
		this.pollLock.lock();
		try {
			this.outstanding = outstanding;
		}
		finally {
			this.pollLock.unlock();
		}
	}

	/**
	 * Arm the queue and take all its completions. Armed first, so that one which arrives
	 * after the last poll raises an event.
	 */
	void onEvent() {
		this.pollLock.lock();
		try {
			if (!this.closed && isMoreExpected()) {
				this.provider.ibvReqNotifyCq(this.handle, false);
				takeAll();
			}
		}
		finally {
			this.pollLock.unlock();
		}
	}

	/**
	 * Take all completions that are there; stands for {@code ibv_poll_cq}.
	 * @throws RdmaException on EIO
	 */
	public void poll() {
		this.pollLock.lock();
		try {
			if (!this.closed) {
				takeAll();
			}
		}
		finally {
			this.pollLock.unlock();
		}
	}

	/**
	 * Destroy the queue; stands for {@code ibv_destroy_cq}. Does nothing the second time.
	 * @throws RdmaException on EBUSY while a queue pair uses it
	 */
	public void close() {
		this.pollLock.lock();
		try {
			if (this.closed) {
				return;
			}
			this.closed = true;
		}
		finally {
			this.pollLock.unlock();
		}
		this.channel.detach(this.handle);
		this.provider.ibvDestroyCq(this.handle);
	}

	private boolean isMoreExpected() {
		BooleanSupplier outstanding = this.outstanding;
		if (outstanding == null) {
			return true;
		}
		takeAll();
		return outstanding.getAsBoolean();
	}

	private void takeAll() {
		int count;
		do {
			count = this.provider.ibvPollCq(this.handle, this.completions);
			for (int i = 0; i < count; i++) {
				hand(this.completions[i]);
			}
			// Fewer than asked for means that there are no more.
		}
		while (count == BATCH);
	}

	// One that fails must not keep the others, which cannot be polled again, from being
	// told.
	private void hand(WorkCompletion completion) {
		try {
			this.handler.onCompletion(completion);
		}
		catch (RuntimeException | Error ex) {
			logger.error("A work completion of queue pair {} could not be handed on", completion.qpNum, ex);
		}
	}

}
