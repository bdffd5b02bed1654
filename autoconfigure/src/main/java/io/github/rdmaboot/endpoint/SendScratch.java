package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import io.github.rdmaboot.verbs.MemoryBlock;
import org.jspecify.annotations.Nullable;

/**
 * Scratch memory of the slots of a send queue, for what an atomic finds in the peer's
 * memory and for the bytes of an inline send.
 */
final class SendScratch {

	private final MemoryBlock memory;

	private final ByteBuffer bytes;

	private final int begin;

	private final int length;

	// That of all slots is one part of the memory.
	SendScratch(MemoryBlock memory, int begin, QueuePairSettings settings) {
		this.memory = memory;
		this.bytes = memory.memory().order(ByteOrder.nativeOrder());
		this.begin = begin;
		this.length = length(settings);
	}

	// How long that of a slot is, a multiple of 8.
	static int length(QueuePairSettings settings) {
		return Math.max(Long.BYTES, (settings.maxInlineData() + Long.BYTES - 1) & -Long.BYTES);
	}

	// Have the request of a slot use its scratch memory: for the bytes of an inline send,
	// which it has room for, or for what an atomic finds.
	void use(SendSlot slot, @Nullable ByteBuffer source) {
		int offset = offset(slot);
		int length = Long.BYTES;
		if (source != null) {
			length = source.remaining();
			this.bytes.put(offset, source, source.position(), length);
		}
		if (length > 0) {
			slot.work().buffer(this.memory.address() + offset, length, this.memory.lkey());
		}
	}

	// Return what the atomic of a slot found.
	long found(SendSlot slot) {
		return this.bytes.getLong(offset(slot));
	}

	private int offset(SendSlot slot) {
		return this.begin + slot.index() * this.length;
	}

}
