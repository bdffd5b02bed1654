package io.github.rdmaboot.verbs;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ThreadFactory;

import io.github.rdmaboot.provider.PollingThread;
import io.github.rdmaboot.provider.RdmaProvider;
import org.jspecify.annotations.Nullable;

/**
 * Thread that polls all its queues without a pause. It begins with the first queue and
 * ends with the last. The monitor of this object guards the thread and changes of the
 * array, which is replaced and never changed in place.
 */
final class BusyPoller implements CompletionPoller {

	private static final CompletionQueue[] NONE = {};

	private final RdmaProvider provider;

	private final ThreadFactory threads;

	private volatile CompletionQueue[] queues = NONE;

	private volatile @Nullable PollingThread thread;

	BusyPoller(RdmaProvider provider, ThreadFactory threads) {
		this.provider = provider;
		this.threads = threads;
	}

	@Override
	public long channel() {
		return 0;
	}

	@Override
	public synchronized void attach(CompletionQueue queue) {
		CompletionQueue[] more = Arrays.copyOf(this.queues, this.queues.length + 1);
		more[more.length - 1] = queue;
		this.queues = more;
		if (this.thread == null) {
			SpinWait spinWait = new SpinWait();
			PollingThread thread = PollingThread.spinning(this.provider, this.threads,
					(waker, timeoutMillis) -> poll(spinWait));
			thread.start();
			this.thread = thread;
		}
	}

	@Override
	public synchronized void detach(CompletionQueue queue) {
		this.queues = Arrays.stream(this.queues).filter((each) -> each != queue).toArray(CompletionQueue[]::new);
		if (this.queues.length == 0) {
			end();
			this.thread = null;
		}
	}

	@Override
	public void closes(CompletionQueue queue) {
		// It waits for no events.
	}

	@Override
	public void goOn(CompletionQueue queue) {
		// It polls all of them anyway.
	}

	@Override
	public void end() {
		PollingThread thread = this.thread;
		if (thread != null) {
			thread.end();
		}
	}

	// The thread has ended with its last queue, or ends as soon as its handlers return.
	@Override
	public void close(Duration timeout) {
		end();
	}

	private void poll(SpinWait spinWait) {
		boolean taken = false;
		for (CompletionQueue queue : this.queues) {
			taken |= queue.take();
		}
		if (!taken) {
			spinWait.pause();
		}
	}

}
