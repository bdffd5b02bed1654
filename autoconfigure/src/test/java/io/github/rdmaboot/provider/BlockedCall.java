package io.github.rdmaboot.provider;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Call that is expected to block, on a thread of its own.
 */
final class BlockedCall {

	private static final int PATIENCE_SECONDS = 30;

	private static final int BLOCKED_MILLIS = 50;

	private final CountDownLatch started = new CountDownLatch(1);

	private final CountDownLatch ended = new CountDownLatch(1);

	private final Thread thread;

	private volatile boolean interruptSeen;

	private BlockedCall(Runnable call) {
		this.thread = new Thread(() -> {
			this.started.countDown();
			try {
				call.run();
			}
			finally {
				this.interruptSeen = Thread.interrupted();
				this.ended.countDown();
			}
		}, "blocked-call");
		this.thread.setDaemon(true);
	}

	static BlockedCall start(Runnable call) throws InterruptedException {
		BlockedCall blocked = new BlockedCall(call);
		blocked.thread.start();
		assertThat(blocked.started.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
		return blocked;
	}

	void isBlocked() throws InterruptedException {
		assertThat(this.ended.await(BLOCKED_MILLIS, TimeUnit.MILLISECONDS)).as("the call returned").isFalse();
	}

	void interrupt() {
		this.thread.interrupt();
	}

	void returns() throws InterruptedException {
		returns(PATIENCE_SECONDS);
	}

	void returns(int patienceSeconds) throws InterruptedException {
		assertThat(this.ended.await(patienceSeconds, TimeUnit.SECONDS)).as("the call returned").isTrue();
		this.thread.join();
	}

	boolean wasInterrupted() {
		return this.interruptSeen;
	}

}
