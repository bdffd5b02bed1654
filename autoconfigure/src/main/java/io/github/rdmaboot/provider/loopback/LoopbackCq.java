package io.github.rdmaboot.provider.loopback;

import java.util.ArrayDeque;
import java.util.Queue;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.WorkCompletion;
import org.jspecify.annotations.Nullable;

/**
 * Completion queue of the loopback. Guarded by the fabric's lock.
 */
final class LoopbackCq {

	private final DeviceContext device;

	private final int capacity;

	private final @Nullable CompletionChannel channel;

	private final Queue<Completion> completions = new ArrayDeque<>();

	private final AckCounter events;

	private final AckCounter asyncEvents;

	/** Handle, 0 until the table gave one. */
	long handle;

	private int users;

	private Notification notification = Notification.NONE;

	LoopbackCq(DeviceContext device, int capacity, @Nullable CompletionChannel channel) {
		this.device = device;
		this.capacity = capacity;
		this.channel = channel;
		this.events = new AckCounter(device.process().fabric().lock());
		this.asyncEvents = new AckCounter(device.process().fabric().lock());
		if (channel != null) {
			channel.use();
		}
	}

	DeviceContext device() {
		return this.device;
	}

	AckCounter events() {
		return this.events;
	}

	void use() {
		this.users++;
	}

	void release() {
		this.users--;
	}

	void requestNotification(boolean solicitedOnly) {
		if (this.notification != Notification.NEXT) {
			this.notification = solicitedOnly ? Notification.SOLICITED : Notification.NEXT;
		}
	}

	/**
	 * Add a completion; one that finds the queue full is lost, as on soft-RoCE.
	 * @param completion the completion
	 * @param solicited whether it counts as solicited
	 */
	void add(Completion completion, boolean solicited) {
		if (this.completions.size() == this.capacity) {
			this.device.asyncEvents()
				.add(new DeviceContext.AsyncEvent(DeviceContext.AsyncEvent.CQ_ERR, this.handle, this.asyncEvents));
			return;
		}
		this.completions.add(completion);
		if (this.notification == Notification.NEXT || (this.notification == Notification.SOLICITED && solicited)) {
			this.notification = Notification.NONE;
			if (this.channel != null) {
				this.channel.notify(this);
			}
		}
	}

	int poll(WorkCompletion[] target) {
		int count = 0;
		while (count < target.length && !this.completions.isEmpty()) {
			this.completions.remove().fill(target[count]);
			count++;
		}
		return count;
	}

	/**
	 * Wait until its events have been acknowledged and let go of the channel.
	 */
	void destroy() {
		if (this.users > 0) {
			throw new RdmaException("ibv_destroy_cq", Errno.EBUSY.value());
		}
		if (this.channel != null) {
			this.channel.release(this);
		}
		this.events.awaitAll();
		this.asyncEvents.awaitAll();
	}

	private enum Notification {

		NONE, SOLICITED, NEXT

	}

	/**
	 * One completion.
	 *
	 * @param wrId the number of the work request
	 * @param status the number of the status
	 * @param opcode the number of the operation
	 * @param byteLength the length in bytes
	 * @param immediateData the immediate data
	 * @param qpNum the local queue pair number
	 * @param sourceQp the peer's queue pair number
	 * @param flags 1 with routing header, 2 with immediate data
	 */
	record Completion(long wrId, int status, int opcode, int byteLength, int immediateData, int qpNum, int sourceQp,
			int flags) {

		void fill(WorkCompletion target) {
			target.wrId = this.wrId;
			target.status = this.status;
			target.opcode = this.opcode;
			target.vendorError = 0;
			target.byteLength = this.byteLength;
			target.immediateData = this.immediateData;
			target.qpNum = this.qpNum;
			target.sourceQp = this.sourceQp;
			target.flags = this.flags;
			target.pkeyIndex = 0;
			target.sourceLid = 0;
			target.serviceLevel = 0;
			target.destinationPathBits = 0;
		}

	}

}
