package io.github.rdmaboot.endpoint;

import java.time.Duration;

/**
 * Sizes of the queue pair of a connection, and what happens when its send queue is full.
 *
 * @param maxSendWr how many sends may be outstanding, from 1
 * @param maxRecvWr how many receives may be posted, from 1
 * @param maxSendSge how many buffers a send may have, from 1
 * @param maxRecvSge how many buffers a receive may have, from 1
 * @param maxInlineData how many bytes a send may carry inline, from 0
 * @param whenFull what becomes of an operation that finds the send queue full
 * @param fullTimeout how long an operation waits for room, or one that is kept for
 * credits, longer than 0
 * @param parkLimit how many operations are kept until there is room, from 1 to 65536; for
 * as many messages there are further buffers
 */
public record QueuePairSettings(int maxSendWr, int maxRecvWr, int maxSendSge, int maxRecvSge, int maxInlineData,
		WhenFull whenFull, Duration fullTimeout, int parkLimit) {

	/** How long an operation waits for room unless set otherwise. */
	public static final Duration DEFAULT_FULL_TIMEOUT = Duration.ofSeconds(10);

	/** How many operations are kept until there is room unless set otherwise. */
	public static final int DEFAULT_PARK_LIMIT = 64;

	public QueuePairSettings {
		Settings.atLeast("max-send-wr", maxSendWr, 1);
		Settings.atLeast("max-recv-wr", maxRecvWr, 1);
		Settings.atLeast("max-send-sge", maxSendSge, 1);
		Settings.atLeast("max-recv-sge", maxRecvSge, 1);
		Settings.atLeast("max-inline-data", maxInlineData, 0);
		Settings.positive("full-timeout", fullTimeout);
		Settings.between("park-limit", parkLimit, 1, 65536);
	}

	/**
	 * Create settings with which an operation that finds the send queue full waits.
	 * @param maxSendWr how many sends may be outstanding, from 1
	 * @param maxRecvWr how many receives may be posted, from 1
	 * @param maxSendSge how many buffers a send may have, from 1
	 * @param maxRecvSge how many buffers a receive may have, from 1
	 * @param maxInlineData how many bytes a send may carry inline, from 0
	 */
	public QueuePairSettings(int maxSendWr, int maxRecvWr, int maxSendSge, int maxRecvSge, int maxInlineData) {
		this(maxSendWr, maxRecvWr, maxSendSge, maxRecvSge, maxInlineData, WhenFull.WAIT, DEFAULT_FULL_TIMEOUT,
				DEFAULT_PARK_LIMIT);
	}

	// How many operations may be under way, posted or kept.
	int maxOperations() {
		return this.maxSendWr + parked();
	}

	int parked() {
		return (this.whenFull == WhenFull.PARK) ? this.parkLimit : 0;
	}

}
