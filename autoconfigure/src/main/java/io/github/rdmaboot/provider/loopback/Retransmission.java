package io.github.rdmaboot.provider.loopback;

import java.util.concurrent.TimeUnit;

/**
 * Sends a connection message again until it was answered or the kernel would give up.
 * Guarded by the fabric's lock.
 */
final class Retransmission implements Runnable {

	/** Time between two tries on RoCE with Linux 6.1. */
	static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(6144);

	/** When a connection request or reply is given up. */
	static final long CONNECT_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(100);

	/** When a disconnect request is given up. */
	static final long DISCONNECT_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(98);

	private final LoopbackCmId id;

	private final FabricTimer timer;

	private final long deadline;

	private final Runnable message;

	private final Runnable surrender;

	private Retransmission(LoopbackCmId id, long limitNanos, Runnable message, Runnable surrender) {
		this.id = id;
		this.timer = id.process().fabric().timer();
		this.deadline = this.timer.now() + limitNanos;
		this.message = message;
		this.surrender = surrender;
	}

	/**
	 * Send a message now and again until the id's retransmission is cancelled.
	 * @param id the sender
	 * @param limitNanos when to give up
	 * @param message sends the message
	 * @param surrender what happens when no answer came
	 */
	static void start(LoopbackCmId id, long limitNanos, Runnable message, Runnable surrender) {
		Retransmission retransmission = new Retransmission(id, limitNanos, message, surrender);
		retransmission.scheduleNext();
		message.run();
	}

	static void stop(LoopbackCmId id) {
		id.process().fabric().timer().cancel(id.retransmission);
		id.retransmission = null;
	}

	/**
	 * Leave the message to itself: it goes on until the kernel gives up, and its sender
	 * cannot be destroyed before.
	 * @param id the sender
	 */
	static void abandon(LoopbackCmId id) {
		AckCounter abandoned = new AckCounter(id.process().fabric().lock());
		abandoned.fetched();
		id.abandonedMessage = abandoned;
	}

	@Override
	public void run() {
		if (this.timer.now() >= this.deadline) {
			this.id.retransmission = null;
			this.surrender.run();
			this.id.forgetAbandonedMessage();
		}
		else {
			scheduleNext();
			this.message.run();
		}
	}

	private void scheduleNext() {
		long delay = Math.min(INTERVAL_NANOS, this.deadline - this.timer.now());
		this.id.retransmission = this.timer.schedule(delay, this);
	}

}
