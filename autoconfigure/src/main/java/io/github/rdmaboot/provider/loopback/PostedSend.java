package io.github.rdmaboot.provider.loopback;

import io.github.rdmaboot.provider.CompletionStatus;
import io.github.rdmaboot.provider.SendFlag;
import io.github.rdmaboot.provider.SendWorkRequest;
import org.jspecify.annotations.Nullable;

/**
 * Send request that is in a queue. Guarded by the fabric's lock.
 */
final class PostedSend {

	final long wrId;

	final Operation operation;

	final int flags;

	final int immediateData;

	final long remoteAddress;

	final int rkey;

	final long compareAdd;

	final long swap;

	final BufferList buffers;

	/** Data that was copied when the request was posted. */
	private final byte @Nullable [] inline;

	/** When the message reaches the peer at the earliest. */
	final long arrivesAt;

	int unanswered;

	int refusals;

	PostedSend(SendWorkRequest request, Operation operation, BufferList buffers, byte @Nullable [] inline,
			long arrivesAt) {
		this.wrId = request.wrId;
		this.operation = operation;
		this.flags = request.flags;
		this.immediateData = request.immediateData;
		this.remoteAddress = request.remoteAddress;
		this.rkey = request.rkey;
		this.compareAdd = request.compareAdd;
		this.swap = request.swap;
		this.buffers = buffers;
		this.inline = inline;
		this.arrivesAt = arrivesAt;
	}

	/**
	 * Find out what is wrong with the data.
	 * @param qp the queue pair that sends it
	 * @return the status to complete with; success when nothing is wrong
	 */
	CompletionStatus checkData(LoopbackQp qp) {
		return (this.inline != null) ? CompletionStatus.SUCCESS
				: this.buffers.checkReadable(qp.fabric().memory(), qp.pd());
	}

	/**
	 * Read the data, which has been checked.
	 * @param qp the queue pair that sends it
	 * @return the bytes
	 */
	byte[] data(LoopbackQp qp) {
		return (this.inline != null) ? this.inline : this.buffers.gather(qp.fabric().memory());
	}

	boolean has(SendFlag flag) {
		return (this.flags & flag.value()) != 0;
	}

}
