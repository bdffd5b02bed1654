package io.github.rdmaboot.provider.loopback;

import java.util.ArrayDeque;
import java.util.Queue;

import io.github.rdmaboot.provider.Errno;
import io.github.rdmaboot.provider.RdmaException;

/**
 * Open device of one provider, with its asynchronous events. Guarded by the fabric's
 * lock.
 */
final class DeviceContext {

	private final LoopbackProcess process;

	private final Queue<AsyncEvent> asyncEvents = new ArrayDeque<>();

	/** Handle, 0 until the table gave one. */
	long handle;

	/** Set when the device was removed: nothing new can be created. */
	boolean gone;

	DeviceContext(LoopbackProcess process) {
		this.process = process;
	}

	LoopbackProcess process() {
		return this.process;
	}

	Queue<AsyncEvent> asyncEvents() {
		return this.asyncEvents;
	}

	/**
	 * Drop the asynchronous events of an element that were not fetched: it is destroyed.
	 * @param owner the counter of the element
	 */
	void dropAsyncEvents(AckCounter owner) {
		this.asyncEvents.removeIf((event) -> event.owner() == owner);
	}

	void requirePresent(String call) {
		if (this.gone) {
			throw new RdmaException(call, Errno.EIO.value());
		}
	}

	/**
	 * Asynchronous event, which its element's destruction waits for once it was fetched.
	 *
	 * @param type the number of its type
	 * @param element the handle of what it is about
	 * @param owner the counter of the element
	 */
	record AsyncEvent(int type, long element, AckCounter owner) {

		static final int CQ_ERR = 0;

		static final int SQ_DRAINED = 5;

	}

}
