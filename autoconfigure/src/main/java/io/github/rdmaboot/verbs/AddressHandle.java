package io.github.rdmaboot.verbs;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.rdmaboot.provider.AddressHandleAttributes;
import io.github.rdmaboot.provider.RdmaException;
import io.github.rdmaboot.provider.RdmaProvider;
import io.github.rdmaboot.provider.WorkCompletion;

/**
 * Address handle: a path that datagrams take, made once and used by many sends. It must
 * not be destroyed while a send that names it is outstanding, so sends are counted.
 * <p>
 * Any thread may use it. The count is one atomic number, with a sign that no more are let
 * in.
 */
public final class AddressHandle {

	private static final int RETIRED = Integer.MIN_VALUE;

	private static final int DESTROYED = Integer.MIN_VALUE + 1;

	private final RdmaProvider provider;

	private final long handle;

	private final AtomicInteger users = new AtomicInteger();

	private AddressHandle(RdmaProvider provider, long handle) {
		this.provider = provider;
		this.handle = handle;
	}

	/**
	 * Create the handle of a path that the CM told; stands for {@code ibv_create_ah}.
	 * @param device the device
	 * @param path the path
	 * @return the address handle
	 * @throws RdmaException on EINVAL, EHOSTUNREACH
	 */
	public static AddressHandle create(Device device, AddressHandleAttributes path) {
		return new AddressHandle(device.provider(), device.provider().ibvCreateAh(device.pd(), path));
	}

	/**
	 * Create the handle that answers a received datagram; stands for
	 * {@code ibv_create_ah_from_wc}.
	 * @param device the device
	 * @param completion the completion of the receive
	 * @param header a direct buffer whose position is at the 40 bytes in front of the
	 * datagram
	 * @param port the port from 1
	 * @return the address handle
	 * @throws RdmaException on EINVAL
	 */
	public static AddressHandle createAnswering(Device device, WorkCompletion completion, ByteBuffer header, int port) {
		return new AddressHandle(device.provider(),
				device.provider().ibvCreateAhFromWc(device.pd(), completion, header, port));
	}

	/**
	 * Return the handle as send requests name it. Only for who has retained it.
	 * @return the handle
	 */
	public long handle() {
		return this.handle;
	}

	/**
	 * Keep the handle from being destroyed, for one send.
	 * @return whether it can be used; if so {@link #release} has to follow
	 */
	public boolean retain() {
		int before = this.users.get();
		while (before >= 0) {
			if (this.users.compareAndSet(before, before + 1)) {
				return true;
			}
			before = this.users.get();
		}
		return false;
	}

	/**
	 * End the use by one send. Does nothing once the handle was destroyed.
	 */
	public void release() {
		int before = this.users.get();
		while (before > 0 && !this.users.compareAndSet(before, before - 1)) {
			before = this.users.get();
		}
	}

	/**
	 * Let no send use the handle any more, unless one does. Makes no native call:
	 * {@link #destroy} has to follow.
	 * @return whether the handle was retired by this call
	 */
	public boolean retire() {
		return this.users.compareAndSet(0, RETIRED);
	}

	/**
	 * Destroy the handle when no send can use it any more, because it was retired or the
	 * queue pair is gone; stands for {@code ibv_destroy_ah}. Does nothing the second
	 * time.
	 * @throws RdmaException on EIO
	 */
	public void destroy() {
		if (this.users.getAndSet(DESTROYED) != DESTROYED) {
			this.provider.ibvDestroyAh(this.handle);
		}
	}

}
