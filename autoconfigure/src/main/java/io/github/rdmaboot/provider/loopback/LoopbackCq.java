package io.github.rdmaboot.provider.loopback;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.WorkCompletion;
import org.jspecify.annotations.Nullable;

/**
 * Completion queue of the loopback. Guarded by the fabric's lock.
 */
final class LoopbackCq {

	private static final WorkCompletion NONE = new WorkCompletion();

	private final DeviceContext device;

	private final int capacity;

	private final @Nullable CompletionChannel channel;

	private final Queue<WorkCompletion> completions = new ArrayDeque<>();

	private final Deque<WorkCompletion> idle = new ArrayDeque<>();

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
	 * Return a completion to fill and add.
	 * @return the completion, with 0 in all its fields
	 */
	WorkCompletion newCompletion() {
		WorkCompletion completion = this.idle.poll();
		return (completion != null) ? completion : new WorkCompletion();
	}

	/**
	 * Add a completion; one that finds the queue full is lost, as on soft-RoCE.
	 * @param completion the completion
	 * @param solicited whether it counts as solicited
	 */
	void add(WorkCompletion completion, boolean solicited) {
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
			WorkCompletion completion = this.completions.remove();
			copy(completion, target[count]);
			copy(NONE, completion);
			this.idle.push(completion);
			count++;
		}
		return count;
	}

	private static void copy(WorkCompletion source, WorkCompletion target) {
		target.wrId = source.wrId;
		target.status = source.status;
		target.opcode = source.opcode;
		target.vendorError = source.vendorError;
		target.byteLength = source.byteLength;
		target.immediateData = source.immediateData;
		target.qpNum = source.qpNum;
		target.sourceQp = source.sourceQp;
		target.flags = source.flags;
		target.pkeyIndex = source.pkeyIndex;
		target.sourceLid = source.sourceLid;
		target.serviceLevel = source.serviceLevel;
		target.destinationPathBits = source.destinationPathBits;
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
		this.device.dropAsyncEvents(this.asyncEvents);
		this.events.awaitAll();
		this.asyncEvents.awaitAll();
	}

	private enum Notification {

		NONE, SOLICITED, NEXT

	}

}
