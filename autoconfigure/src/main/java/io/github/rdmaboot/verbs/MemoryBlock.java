package io.github.rdmaboot.verbs;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Piece of registered memory, lent by a {@link MemoryPool}. Its content is what the last
 * holder left. May be used from any thread.
 */
public final class MemoryBlock {

	private final MemoryPool pool;

	private final MemorySlab slab;

	private final int offset;

	private final int length;

	private final AtomicBoolean released = new AtomicBoolean();

	MemoryBlock(MemoryPool pool, MemorySlab slab, int offset, int length) {
		this.pool = pool;
		this.slab = slab;
		this.offset = offset;
		this.length = length;
	}

	/**
	 * Return the address of the first byte, as work requests name it.
	 * @return the address
	 */
	public long address() {
		return this.slab.region().address() + this.offset;
	}

	/**
	 * Return the key for local work requests.
	 * @return the key
	 */
	public int lkey() {
		return this.slab.region().lkey();
	}

	/**
	 * Return the size.
	 * @return the size in bytes that was asked for
	 */
	public int length() {
		return this.length;
	}

	/**
	 * Return a new view of the memory, which must not be used after the release.
	 * @return the memory from 0 to its capacity, which is the length
	 */
	public ByteBuffer memory() {
		return this.slab.region().memory().slice(this.offset, this.length);
	}

	/**
	 * Give the memory back, which lends it to others: neither the device nor any thread
	 * may use it any more. Makes no native call. Does nothing the second time.
	 */
	public void release() {
		if (this.released.compareAndSet(false, true)) {
			this.pool.giveBack(this.slab, this.offset, this.length);
		}
	}

}
