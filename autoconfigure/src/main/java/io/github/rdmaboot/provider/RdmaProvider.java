package io.github.rdmaboot.provider;

import java.util.List;

/**
 * The calls of librdmacm and libibverbs, by handle, together with the few operating
 * system calls that waiting for their events needs.
 * <p>
 * A handle is an opaque non-zero number that stands for the C pointer of the same object.
 * A provider does not check handles: passing one that was destroyed, or 0, is undefined
 * as it is in C. The {@code cm} and {@code verbs} packages guard every call, so
 * applications never hold a handle.
 * <p>
 * Every call may be made from any platform thread; those that may block say so. A call
 * that fails throws an {@link RdmaException} that names the C function and the errno,
 * whichever of C's two conventions reported it.
 */
public interface RdmaProvider extends RdmaCmCalls, IbvCalls, AutoCloseable {

	/**
	 * Return the name by which the provider is chosen and shown.
	 * @return {@code native} or {@code loopback}
	 */
	String name();

	/**
	 * Describe the RDMA devices that are present, without opening any of them.
	 * @return the devices in a stable order; empty when there is none
	 */
	List<DeviceDescription> describeDevices();

	/**
	 * Create a waker, with which a thread that waits in {@link #awaitCmEvent} or
	 * {@link #awaitCqEvent} can be woken; stands for {@code eventfd}.
	 * @return the waker
	 * @throws RdmaException on EMFILE, ENFILE, ENOMEM
	 */
	long createWaker();

	/**
	 * Wake the thread that waits with this waker, or the next one that does so.
	 * @param waker the waker
	 */
	void wake(long waker);

	/**
	 * Destroy a waker that no thread waits with.
	 * @param waker the waker
	 */
	void destroyWaker(long waker);

	/**
	 * Wait until the event channel has an event, the waker is woken or the time is up;
	 * stands for {@code poll} on the channel's file descriptor. An interrupt does not end
	 * the wait.
	 * @param channel the event channel
	 * @param waker the waker, whose pending wake-up is consumed
	 * @param timeoutMillis how long to wait at most, in milliseconds, from 0
	 * @return whether the channel has an event to fetch
	 * @throws RdmaException on EBADF when the channel is closed
	 */
	boolean awaitCmEvent(long channel, long waker, int timeoutMillis);

	/**
	 * Wait until the completion channel has an event, the waker is woken or the time is
	 * up; stands for {@code poll} on the channel's file descriptor. An interrupt does not
	 * end the wait.
	 * @param completionChannel the completion channel
	 * @param waker the waker, whose pending wake-up is consumed
	 * @param timeoutMillis how long to wait at most, in milliseconds, from 0
	 * @return whether the channel has an event to fetch
	 * @throws RdmaException on EBADF when the channel is closed, EIO when its device is
	 * gone
	 */
	boolean awaitCqEvent(long completionChannel, long waker, int timeoutMillis);

	/**
	 * Let the calling thread run on one CPU only; stands for {@code sched_setaffinity}.
	 * The loopback provider, which is for any operating system, only checks the CPU.
	 * @param cpu the CPU, from 0
	 * @throws RdmaException on EINVAL when there is no such CPU or the process may not
	 * use it
	 */
	void pinThread(int cpu);

	/**
	 * Release what the provider itself holds; objects that were created through it must
	 * have been destroyed before.
	 */
	@Override
	void close();

}
