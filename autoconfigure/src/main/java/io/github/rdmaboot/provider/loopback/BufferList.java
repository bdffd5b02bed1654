package io.github.rdmaboot.provider.loopback;

import io.github.rdmaboot.provider.AccessFlag;
import io.github.rdmaboot.provider.CompletionStatus;

/**
 * The buffers of a work request, noted anew for each request. Guarded by the fabric's
 * lock.
 */
final class BufferList {

	private long[] addresses = {};

	private int[] lengths = {};

	private int[] lkeys = {};

	private int count;

	void set(long[] addresses, int[] lengths, int[] lkeys, int count) {
		if (count > this.addresses.length) {
			this.addresses = new long[count];
			this.lengths = new int[count];
			this.lkeys = new int[count];
		}
		System.arraycopy(addresses, 0, this.addresses, 0, count);
		System.arraycopy(lengths, 0, this.lengths, 0, count);
		System.arraycopy(lkeys, 0, this.lkeys, 0, count);
		this.count = count;
	}

	int totalLength() {
		int total = 0;
		for (int i = 0; i < this.count; i++) {
			total += this.lengths[i];
		}
		return total;
	}

	/**
	 * Find out what is wrong with the buffers of a message to send.
	 * @param memory the registered memory
	 * @param pd the protection domain of the queue pair
	 * @return the status that soft-RoCE reports; success when nothing is wrong
	 */
	CompletionStatus checkReadable(MemoryTable memory, LoopbackPd pd) {
		for (int i = 0; i < this.count; i++) {
			if (this.lengths[i] > 0) {
				LoopbackMr mr = memory.withKey(this.lkeys[i]);
				if (mr == null || mr.pd() != pd) {
					return CompletionStatus.LOC_QP_OP_ERR;
				}
				if (!mr.contains(this.addresses[i], this.lengths[i])) {
					return CompletionStatus.LOC_PROT_ERR;
				}
			}
		}
		return CompletionStatus.SUCCESS;
	}

	/**
	 * Read the bytes of a message whose buffers have been checked.
	 * @param memory the registered memory
	 * @param data where to put them
	 */
	void gather(MemoryTable memory, byte[] data) {
		int position = 0;
		for (int i = 0; i < this.count; i++) {
			LoopbackMr mr = memory.withKey(this.lkeys[i]);
			if (mr != null && this.lengths[i] > 0) {
				mr.read(this.addresses[i], data, position, this.lengths[i]);
				position += this.lengths[i];
			}
		}
	}

	/**
	 * Read the bytes of a message that is sent inline, for which keys do not count.
	 * @param memory the registered memory
	 * @param data where to put them
	 * @return whether there is memory at all addresses
	 */
	boolean gatherInline(MemoryTable memory, byte[] data) {
		int position = 0;
		for (int i = 0; i < this.count; i++) {
			if (this.lengths[i] > 0) {
				// The key makes it quick where there is one.
				LoopbackMr mr = memory.withKey(this.lkeys[i]);
				if (mr == null || !mr.contains(this.addresses[i], this.lengths[i])) {
					mr = memory.around(this.addresses[i], this.lengths[i]);
				}
				if (mr == null) {
					return false;
				}
				mr.read(this.addresses[i], data, position, this.lengths[i]);
				position += this.lengths[i];
			}
		}
		return true;
	}

	/**
	 * Write bytes to the buffers, which must have room for them.
	 * @param memory the registered memory
	 * @param pd the protection domain of the queue pair
	 * @param data the bytes
	 * @param size how many they are
	 * @return whether the access was permitted
	 */
	boolean scatter(MemoryTable memory, LoopbackPd pd, byte[] data, int size) {
		int position = 0;
		for (int i = 0; i < this.count && position < size; i++) {
			int length = Math.min(this.lengths[i], size - position);
			if (length > 0) {
				LoopbackMr mr = memory.withKey(this.lkeys[i]);
				if (mr == null || !mr.permits(pd, this.addresses[i], length, AccessFlag.LOCAL_WRITE.value())) {
					return false;
				}
				mr.write(this.addresses[i], data, position, length);
				position += length;
			}
		}
		return true;
	}

}
