package io.github.rdmaboot.provider.loopback;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Memory region of the loopback: a buffer under a made-up address. Guarded by the
 * fabric's lock.
 *
 * @param pd the protection domain
 * @param memory the memory from 0 to its limit, in native byte order
 * @param address the address of its first byte
 * @param access what is permitted, a union of access flags
 * @param key the number by which work requests name it
 */
record LoopbackMr(LoopbackPd pd, ByteBuffer memory, long address, int access, int key) {

	LoopbackMr {
		memory.order(ByteOrder.nativeOrder());
	}

	/**
	 * Tell whether an access is permitted.
	 * @param domain the protection domain of the queue pair
	 * @param start the first address
	 * @param length the length in bytes
	 * @param flags the access flags needed
	 * @return whether it is
	 */
	boolean permits(LoopbackPd domain, long start, int length, int flags) {
		return this.pd == domain && (this.access & flags) == flags && length >= 0 && contains(start, length);
	}

	boolean contains(long start, int length) {
		long offset = start - this.address;
		return offset >= 0 && offset <= this.memory.capacity() && length <= this.memory.capacity() - offset;
	}

	int offset(long start) {
		return (int) (start - this.address);
	}

	void read(long start, byte[] target, int from, int length) {
		this.memory.get(offset(start), target, from, length);
	}

	void write(long start, byte[] source, int from, int length) {
		this.memory.put(offset(start), source, from, length);
	}

}
