package io.github.rdmaboot.provider.loopback;

import io.github.rdmaboot.provider.CompletionStatus;
import io.github.rdmaboot.provider.SendFlag;
import io.github.rdmaboot.provider.SendWorkRequest;

/**
 * Send request that is in a queue, filled anew for each. Guarded by the fabric's lock.
 */
final class PostedSend {

	final BufferList buffers = new BufferList();

	long wrId;

	Operation operation = Operation.SEND;

	int flags;

	int immediateData;

	long remoteAddress;

	int rkey;

	long compareAdd;

	long swap;

	/** When the message reaches the peer at the earliest. */
	long arrivesAt;

	int unanswered;

	int refusals;

	/** Data that was copied when the request was posted, if it is inline. */
	private byte[] inline = {};

	void set(SendWorkRequest request, Operation operation, long arrivesAt) {
		this.buffers.set(request.addresses, request.lengths, request.lkeys, request.sgeCount);
		this.wrId = request.wrId;
		this.operation = operation;
		this.flags = request.flags;
		this.immediateData = request.immediateData;
		this.remoteAddress = request.remoteAddress;
		this.rkey = request.rkey;
		this.compareAdd = request.compareAdd;
		this.swap = request.swap;
		this.arrivesAt = arrivesAt;
		this.unanswered = 0;
		this.refusals = 0;
	}

	int length() {
		return this.buffers.totalLength();
	}

	/**
	 * Copy the data now.
	 * @param memory the registered memory
	 * @return whether there is memory at all addresses
	 */
	boolean copyInline(MemoryTable memory) {
		if (this.inline.length < length()) {
			this.inline = new byte[length()];
		}
		return this.buffers.gatherInline(memory, this.inline);
	}

	/**
	 * Find out what is wrong with the data.
	 * @param qp the queue pair that sends it
	 * @return the status to complete with; success when nothing is wrong
	 */
	CompletionStatus checkData(LoopbackQp qp) {
		return has(SendFlag.INLINE) ? CompletionStatus.SUCCESS
				: this.buffers.checkReadable(qp.fabric().memory(), qp.pd());
	}

	/**
	 * Read the data, which has been checked.
	 * @param qp the queue pair that sends it
	 * @return an array that begins with the bytes, valid until the next data is read
	 */
	byte[] data(LoopbackQp qp) {
		if (has(SendFlag.INLINE)) {
			return this.inline;
		}
		byte[] data = qp.fabric().memory().scratch(length());
		this.buffers.gather(qp.fabric().memory(), data);
		return data;
	}

	boolean has(SendFlag flag) {
		return (this.flags & flag.value()) != 0;
	}

}
