package io.github.rdmaboot.endpoint;

import io.github.rdmaboot.provider.CompletionOpcode;
import io.github.rdmaboot.provider.SendFlag;
import io.github.rdmaboot.provider.SendWorkRequest;
import io.github.rdmaboot.provider.WorkRequestOpcode;
import io.github.rdmaboot.verbs.Device;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work request with the memory that it uses, described anew for each operation. Whoever
 * describes an operation has its bounds checked by that. Belongs to one thread at a time.
 */
final class WorkDescription {

	private static final Logger logger = LoggerFactory.getLogger(WorkDescription.class);

	private final Device device;

	private final long maxBytes;

	private final HeaderForm headers;

	private final SendWorkRequest request;

	private final @Nullable RdmaMemory[] memories;

	private WorkRequestOpcode opcode = WorkRequestOpcode.SEND;

	private int memoryCount;

	private long bytes;

	private long value;

	// An operation may have so many bytes and ranges of memory, besides its header.
	WorkDescription(Device device, long maxBytes, int maxSge, HeaderForm headers) {
		this.device = device;
		this.maxBytes = maxBytes;
		this.headers = headers;
		this.request = new SendWorkRequest(maxSge + headers.buffers());
		this.memories = new RdmaMemory[maxSge];
	}

	SendWorkRequest request() {
		return this.request;
	}

	// How many bytes are transferred.
	long bytes() {
		return this.bytes;
	}

	// What an atomic found in the peer's memory.
	long value() {
		return this.value;
	}

	void foundValue(long value) {
		this.value = value;
	}

	boolean isAtomic() {
		return this.opcode == WorkRequestOpcode.ATOMIC_CMP_AND_SWP
				|| this.opcode == WorkRequestOpcode.ATOMIC_FETCH_AND_ADD;
	}

	boolean isInline() {
		return (this.request.flags & SendFlag.INLINE.value()) != 0;
	}

	// Which kind of operation on memory of the peer it is, or null for a message.
	@Nullable OperationKind kind() {
		return switch (this.opcode) {
			case SEND, SEND_WITH_IMM -> null;
			case RDMA_WRITE, RDMA_WRITE_WITH_IMM -> OperationKind.WRITE;
			case RDMA_READ -> OperationKind.READ;
			case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> OperationKind.ATOMIC;
		};
	}

	// Whether it is a message without immediate data of the application's.
	boolean isMessage() {
		return this.opcode == WorkRequestOpcode.SEND;
	}

	boolean takesReceive() {
		return takesReceive(this.opcode);
	}

	// Whether the operation takes a receive of the peer.
	static boolean takesReceive(WorkRequestOpcode opcode) {
		return opcode == WorkRequestOpcode.SEND || opcode == WorkRequestOpcode.SEND_WITH_IMM
				|| opcode == WorkRequestOpcode.RDMA_WRITE_WITH_IMM;
	}

	// Give a message its header, when it is posted. Returns what that is together with
	// what it was to have from the beginning.
	int head(int header) {
		if (this.headers == HeaderForm.IMMEDIATE) {
			this.request.opcode = WorkRequestOpcode.SEND_WITH_IMM.value();
		}
		this.request.immediateData |= header;
		return this.request.immediateData;
	}

	// What the header grants, once it was given.
	int grants() {
		return isMessage() ? MessageHeader.grants(this.request.immediateData) : 0;
	}

	// What a completion calls the operation, which one that failed does not tell.
	CompletionOpcode operation() {
		return switch (this.opcode) {
			case SEND, SEND_WITH_IMM -> CompletionOpcode.SEND;
			case RDMA_WRITE, RDMA_WRITE_WITH_IMM -> CompletionOpcode.RDMA_WRITE;
			case RDMA_READ -> CompletionOpcode.RDMA_READ;
			case ATOMIC_CMP_AND_SWP -> CompletionOpcode.COMP_SWAP;
			case ATOMIC_FETCH_AND_ADD -> CompletionOpcode.FETCH_ADD;
		};
	}

	// Describe a transfer, of a message if no memory of the peer is named.
	void transfer(WorkRequestOpcode opcode, int immediate, RdmaMemory local, long localOffset, int length,
			@Nullable RemoteMemory remote, long remoteOffset) {
		begin(opcode, immediate);
		local(local, localOffset, length);
		requireLength(this.bytes, this.maxBytes);
		if (remote != null) {
			remote(remote, remoteOffset);
		}
	}

	void transfer(WorkRequestOpcode opcode, MemoryRanges ranges, @Nullable RemoteMemory remote, long remoteOffset) {
		begin(opcode, 0);
		for (int i = 0; i < ranges.size(); i++) {
			local(ranges.memory(i), ranges.offset(i), ranges.length(i));
		}
		requireLength(this.bytes, this.maxBytes);
		if (remote != null) {
			remote(remote, remoteOffset);
		}
	}

	// Refuse what would end the connection.
	static void requireLength(long bytes, long max) {
		if (bytes > max) {
			throw new IllegalArgumentException("Operation of " + bytes + " bytes is longer than the "
					+ Settings.text(max) + " that the port of the device takes: split it");
		}
	}

	// Describe an atomic but for the memory that takes what it finds.
	void atomic(WorkRequestOpcode opcode, RemoteMemory remote, long offset, long compareAdd, long swap) {
		begin(opcode, 0);
		this.request.remoteAddress = remote.addressOf(offset, Long.BYTES);
		this.request.rkey = remote.rkey();
		if (this.request.remoteAddress % Long.BYTES != 0) {
			throw new IllegalArgumentException("An atomic needs an address that is a multiple of 8, which offset "
					+ offset + " of " + remote + " is not");
		}
		this.request.compareAdd = compareAdd;
		this.request.swap = swap;
	}

	// Begin with an operation that uses no memory yet.
	void begin(WorkRequestOpcode opcode, int immediate) {
		this.opcode = opcode;
		this.request.opcode = opcode.value();
		this.request.flags = 0;
		this.request.immediateData = immediate;
		this.request.sgeCount = isMessage() ? this.headers.buffers() : 0;
		this.request.remoteAddress = 0;
		this.request.rkey = 0;
		this.memoryCount = 0;
		this.bytes = 0;
	}

	// Add local memory. An empty part is left out, for a length of 0 means 2 GB to some
	// devices.
	private void local(RdmaMemory memory, long offset, int length) {
		long address = memory.addressOf(offset, length);
		if (memory.device() != this.device) {
			throw new IllegalArgumentException(
					"The memory is registered with another device or registry of endpoints than that of the connection");
		}
		if (length > 0) {
			if (this.memoryCount == this.memories.length) {
				throw new IllegalArgumentException("An operation may have " + this.memories.length
						+ " ranges of memory at most; raise queue-pair.max-send-sge");
			}
			this.memories[this.memoryCount++] = memory;
			buffer(address, length, memory.lkey());
		}
	}

	// Add local memory that the connection itself looks after.
	void buffer(long address, int length, int lkey) {
		int index = this.request.sgeCount++;
		this.request.addresses[index] = address;
		this.request.lengths[index] = length;
		this.request.lkeys[index] = lkey;
		this.bytes += length;
	}

	// Name the memory of the peer, after that of this side, which tells the length.
	private void remote(RemoteMemory remote, long offset) {
		this.request.remoteAddress = remote.addressOf(offset, this.bytes);
		this.request.rkey = remote.rkey();
	}

	// Have the data copied when the request is posted.
	void inline() {
		this.request.flags |= SendFlag.INLINE.value();
	}

	// Begin only when the reads and atomics before it are done.
	void fence() {
		this.request.flags |= SendFlag.FENCE.value();
	}

	void signal() {
		this.request.flags |= SendFlag.SIGNALED.value();
	}

	void copyFrom(WorkDescription other) {
		SendWorkRequest from = other.request;
		this.opcode = other.opcode;
		this.request.opcode = from.opcode;
		this.request.flags = from.flags;
		this.request.immediateData = from.immediateData;
		this.request.remoteAddress = from.remoteAddress;
		this.request.rkey = from.rkey;
		this.request.compareAdd = from.compareAdd;
		this.request.swap = from.swap;
		this.request.sgeCount = from.sgeCount;
		System.arraycopy(from.addresses, 0, this.request.addresses, 0, from.sgeCount);
		System.arraycopy(from.lengths, 0, this.request.lengths, 0, from.sgeCount);
		System.arraycopy(from.lkeys, 0, this.request.lkeys, 0, from.sgeCount);
		System.arraycopy(other.memories, 0, this.memories, 0, other.memoryCount);
		this.memoryCount = other.memoryCount;
		this.bytes = other.bytes;
	}

	// Keep the memory for the device: all of it, or none when some was released.
	void retain() {
		int kept = 0;
		try {
			for (; kept < this.memoryCount; kept++) {
				RdmaMemory memory = this.memories[kept];
				if (memory != null) {
					memory.retain();
				}
			}
		}
		finally {
			if (kept < this.memoryCount) {
				this.memoryCount = kept;
				letGo();
			}
		}
	}

	// Let go of the memory. Whoever released it is not here to learn that it cannot be
	// freed.
	void letGo() {
		for (int i = 0; i < this.memoryCount; i++) {
			RdmaMemory memory = this.memories[i];
			if (memory != null) {
				this.memories[i] = null;
				try {
					memory.completed();
				}
				catch (RuntimeException ex) {
					logger.warn("Memory of {} bytes that was released while an operation used it could not be freed",
							memory.length(), ex);
				}
			}
		}
		this.memoryCount = 0;
	}

}
