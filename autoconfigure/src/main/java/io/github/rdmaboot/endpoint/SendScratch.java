package io.github.rdmaboot.endpoint;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.verbs.MemoryBlock;
import org.jspecify.annotations.Nullable;

/**
 * Scratch memory of the slots of a send queue, for what an atomic finds in the peer's
 * memory and for the bytes of an inline send, and behind that for the header of a message
 * where there is one in front of its content.
 */
final class SendScratch {

	private final MemoryBlock memory;

	private final ByteBuffer bytes;

	/** The same bytes in network order. */
	private final ByteBuffer headers;

	private final int begin;

	private final int headerAt;

	private final int length;

	// That of all slots is one part of the memory.
	SendScratch(MemoryBlock memory, int begin, QueuePairSettings settings, HeaderForm headers) {
		this.memory = memory;
		this.bytes = memory.memory().order(ByteOrder.nativeOrder());
		this.headers = memory.memory().order(ByteOrder.BIG_ENDIAN);
		this.begin = begin;
		this.headerAt = length(settings);
		this.length = this.headerAt + headers.length();
	}

	// How long that of all slots is, and of one more for what is no operation.
	static long size(QueuePairSettings settings, HeaderForm headers) {
		return (settings.maxOperations() + 1L) * (length(settings) + headers.length());
	}

	// How long that of a slot is without the header, a multiple of 8.
	private static int length(QueuePairSettings settings) {
		return Math.max(Long.BYTES, (settings.maxInlineData() + Long.BYTES - 1) & -Long.BYTES);
	}

	// Have a request begin with a header. Its first buffer must have been left for that.
	void head(int index, SendWorkRequest request, int header) {
		int offset = offset(index) + this.headerAt;
		MessageHeader.write(this.headers, offset, header);
		request.addresses[0] = this.memory.address() + offset;
		request.lengths[0] = MessageHeader.LENGTH;
		request.lkeys[0] = this.memory.lkey();
	}

	// Have the request of a slot use its scratch memory: for the bytes of an inline send,
	// which it has room for, or for what an atomic finds.
	void use(SendSlot slot, @Nullable ByteBuffer source) {
		int offset = offset(slot.index());
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
		return this.bytes.getLong(offset(slot.index()));
	}

	private int offset(int index) {
		return this.begin + index * this.length;
	}

}
