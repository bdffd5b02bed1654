package io.github.rdmaboot.provider.loopback;

import java.util.Arrays;

import io.github.rdmaboot.provider.AccessFlag;
import io.github.rdmaboot.provider.CompletionStatus;
import org.jspecify.annotations.Nullable;

/**
 * The buffers of a work request. Guarded by the fabric's lock.
 *
 * @param addresses their addresses
 * @param lengths their lengths in bytes
 * @param lkeys the keys of their memory regions
 */
record BufferList(long[] addresses, int[] lengths, int[] lkeys) {

	static BufferList copyOf(long[] addresses, int[] lengths, int[] lkeys, int count) {
		return new BufferList(Arrays.copyOf(addresses, count), Arrays.copyOf(lengths, count),
				Arrays.copyOf(lkeys, count));
	}

	int totalLength() {
		return Arrays.stream(this.lengths).sum();
	}

	/**
	 * Find out what is wrong with the buffers of a message to send.
	 * @param memory the registered memory
	 * @param pd the protection domain of the queue pair
	 * @return the status that soft-RoCE reports; success when nothing is wrong
	 */
	CompletionStatus checkReadable(MemoryTable memory, LoopbackPd pd) {
		for (int i = 0; i < this.addresses.length; i++) {
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
	 * @return the bytes
	 */
	byte[] gather(MemoryTable memory) {
		byte[] data = new byte[totalLength()];
		int position = 0;
		for (int i = 0; i < this.addresses.length; i++) {
			LoopbackMr mr = memory.withKey(this.lkeys[i]);
			if (mr != null && this.lengths[i] > 0) {
				mr.read(this.addresses[i], data, position, this.lengths[i]);
				position += this.lengths[i];
			}
		}
		return data;
	}

	/**
	 * Read the bytes of a message that is sent inline, for which keys do not count.
	 * @param memory the registered memory
	 * @return the bytes, or {@code null} when there is no memory at an address
	 */
	byte @Nullable [] gatherInline(MemoryTable memory) {
		byte[] data = new byte[totalLength()];
		int position = 0;
		for (int i = 0; i < this.addresses.length; i++) {
			if (this.lengths[i] > 0) {
				LoopbackMr mr = memory.around(this.addresses[i], this.lengths[i]);
				if (mr == null) {
					return null;
				}
				mr.read(this.addresses[i], data, position, this.lengths[i]);
				position += this.lengths[i];
			}
		}
		return data;
	}

	/**
	 * Write bytes to the buffers, which must have room for them.
	 * @param memory the registered memory
	 * @param pd the protection domain of the queue pair
	 * @param data the bytes
	 * @return whether the access was permitted
	 */
	boolean scatter(MemoryTable memory, LoopbackPd pd, byte[] data) {
		int position = 0;
		for (int i = 0; i < this.addresses.length && position < data.length; i++) {
			int length = Math.min(this.lengths[i], data.length - position);
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
