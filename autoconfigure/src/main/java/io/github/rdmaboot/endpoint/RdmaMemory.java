package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.rdmaboot.verbs.Device;

/**
 * Memory that a device reads from and writes to: the local side of an operation. All
 * methods may be called from any thread.
 * <p>
 * {@code state} counts the operations that use the memory, with the sign bit once it was
 * released; whoever brings it to {@link #RELEASED} alone has the duty to free it.
 */
public abstract sealed class RdmaMemory implements AutoCloseable permits PooledBuffer, RegisteredMemory {

	/** Released, and in use by no operation. */
	private static final int RELEASED = Integer.MIN_VALUE;

	private final Device device;

	private final ByteBuffer data;

	private final long address;

	private final int lkey;

	private final int length;

	private final AtomicInteger state = new AtomicInteger();

	RdmaMemory(Device device, ByteBuffer data, long address, int lkey) {
		this.device = device;
		this.data = data;
		this.address = address;
		this.lkey = lkey;
		this.length = data.capacity();
	}

	/**
	 * Return the size.
	 * @return the size in bytes
	 */
	public final long length() {
		return this.length;
	}

	/**
	 * Return the bytes. It is the same object each time, whose position, limit and byte
	 * order belong to the caller. While an operation is in progress the device reads or
	 * writes them.
	 * @return the bytes, from 0 to the capacity
	 * @throws IllegalStateException if the memory was released
	 */
	public final ByteBuffer data() {
		if (this.state.get() < 0) {
			throw released();
		}
		return this.data;
	}

	/**
	 * Release the memory, after which it cannot be used any more. It is freed as soon as
	 * no operation uses it. Does nothing the second time.
	 */
	@Override
	public final void close() {
		int before = this.state.get();
		while (before >= 0) {
			if (this.state.compareAndSet(before, before | RELEASED)) {
				if (before == 0) {
					free();
				}
				return;
			}
			before = this.state.get();
		}
	}

	final Device device() {
		return this.device;
	}

	final long address() {
		return this.address;
	}

	final int lkey() {
		return this.lkey;
	}

	final boolean isReleased() {
		return this.state.get() < 0;
	}

	// Keep the memory for an operation that is about to be posted.
	final void retain() {
		int before = this.state.get();
		while (before >= 0) {
			if (this.state.compareAndSet(before, before + 1)) {
				return;
			}
			before = this.state.get();
		}
		throw released();
	}

	// Let go of the memory after an operation, on whichever thread saw it complete.
	final void completed() {
		if (this.state.decrementAndGet() == RELEASED) {
			free();
		}
	}

	// The address of a part, which must be inside.
	final long addressOf(long offset, int length) {
		if (offset < 0 || length < 0 || offset > (long) this.length - length) {
			throw new IndexOutOfBoundsException(length + " bytes from offset " + offset + " are not inside "
					+ this.length + " bytes of local memory");
		}
		return this.address + offset;
	}

	// Give the memory back to where it came from. Called once, when it was released and
	// no operation uses it any more.
	abstract void free();

	private IllegalStateException released() {
		return new IllegalStateException(
				"The memory of " + this.length + " bytes was released and must not be used any more");
	}

}
