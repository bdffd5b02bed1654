package io.github.rdmaboot.endpoint;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;

import io.github.rdmaboot.cm.EventChannel;
import io.github.rdmaboot.endpoint.destroy.CallInProgress;
import io.github.rdmaboot.endpoint.destroy.Deadline;
import io.github.rdmaboot.provider.RdmaProvider;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Last step of a stop: closes the event channel and the provider, on a thread of its own,
 * because a call that does not return cannot be interrupted.
 */
final class ChannelClose implements Runnable {

	private static final Logger logger = LoggerFactory.getLogger(ChannelClose.class);

	private static final Duration THREAD_END_TIMEOUT = Duration.ofSeconds(2);

	/**
	 * What closing may take when the time is up: it takes no time unless a call is stuck.
	 */
	private static final Duration MIN_TIMEOUT = Duration.ofMillis(250);

	private final EventChannel channel;

	private final RdmaProvider provider;

	private final Instant begunAt = Instant.now();

	private final CountDownLatch ended = new CountDownLatch(1);

	private volatile @Nullable Thread thread;

	private volatile boolean channelClosed;

	private volatile boolean closed;

	private volatile @Nullable Runnable whenReturned;

	ChannelClose(EventChannel channel, RdmaProvider provider) {
		this.channel = channel;
		this.provider = provider;
	}

	/**
	 * Begin, and wait until it is done or the time is up.
	 * @param total the limit
	 */
	void runWithin(Deadline total) {
		Thread thread = new Thread(this, "rdma-channel-close");
		this.thread = thread;
		thread.setDaemon(true);
		try {
			thread.start();
		}
		catch (OutOfMemoryError ex) {
			logger.warn("No thread could be started to close the event channel of the RDMA endpoints, which is left",
					ex);
			this.ended.countDown();
			return;
		}
		Duration left = total.remaining();
		if (!Deadline.after((left.compareTo(MIN_TIMEOUT) < 0) ? MIN_TIMEOUT : left).await(this.ended)) {
			logger.warn("The end of the RDMA endpoints is stuck and left with its thread: {}", asStuckCall());
		}
	}

	@Override
	public void run() {
		try {
			this.channel.close(THREAD_END_TIMEOUT);
			this.channelClosed = true;
			this.provider.close();
			this.closed = true;
		}
		catch (RuntimeException | Error ex) {
			logger.warn("The event channel of the RDMA endpoints could not be closed", ex);
		}
		finally {
			returned();
		}
	}

	private void returned() {
		Runnable whenReturned;
		synchronized (this) {
			this.ended.countDown();
			whenReturned = this.whenReturned;
		}
		if (whenReturned != null) {
			whenReturned.run();
		}
	}

	// Run something when the calls have returned: now, or else on their thread.
	void whenReturned(Runnable task) {
		synchronized (this) {
			if (isStuck()) {
				this.whenReturned = task;
				return;
			}
		}
		task.run();
	}

	boolean isStuck() {
		return this.ended.getCount() > 0;
	}

	StuckCall asStuckCall() {
		Thread thread = this.thread;
		String call = this.channelClosed ? "close" : "rdma_destroy_event_channel";
		return new StuckCall((thread != null) ? CallInProgress.function(thread, call) : call,
				this.channelClosed ? "the provider" : "the event channel", this.begunAt);
	}

	// Return what became of the channel, for the log.
	String outcome() {
		return this.closed ? "closed" : "left";
	}

}
