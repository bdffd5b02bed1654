package io.github.rdmaboot.provider.jna;

import java.nio.ByteBuffer;

import io.github.rdmaboot.provider.CompletionOpcode;
import io.github.rdmaboot.provider.WorkCompletion;

/**
 * An array of {@code struct ibv_wc} in native memory that is used again. Belongs to one
 * thread.
 */
final class CompletionArray {

	// Set in each opcode of a receive, and in no other.
	private static final int RECEIVE = CompletionOpcode.RECV.value();

	private static final int INITIAL_CAPACITY = 32;

	private ByteBuffer memory = CallBlock.allocate(INITIAL_CAPACITY * WorkCompletionLayout.SIZE);

	private long address = CallBlock.addressOf(this.memory);

	/**
	 * Make room for a number of completions.
	 * @param count the number of completions
	 * @return the address of the first one
	 */
	long reserve(int count) {
		int size = Math.multiplyExact(count, WorkCompletionLayout.SIZE);
		if (size > this.memory.capacity()) {
			this.memory = CallBlock.allocate(Math.max(size, 2 * this.memory.capacity()));
			this.address = CallBlock.addressOf(this.memory);
		}
		return this.address;
	}

	/**
	 * Copy completions out.
	 * @param completions where to
	 * @param count how many
	 */
	void read(WorkCompletion[] completions, int count) {
		ByteBuffer memory = this.memory;
		for (int i = 0; i < count; i++) {
			WorkCompletion completion = completions[i];
			int offset = i * WorkCompletionLayout.SIZE;
			long pair = memory.getLong(offset + WorkCompletionLayout.STATUS);
			int opcode = NativeOrder.second(pair);
			completion.wrId = memory.getLong(offset + WorkCompletionLayout.WR_ID);
			completion.status = NativeOrder.first(pair);
			completion.opcode = opcode;
			pair = memory.getLong(offset + WorkCompletionLayout.VENDOR_ERROR);
			completion.vendorError = NativeOrder.first(pair);
			completion.byteLength = NativeOrder.second(pair);
			completion.qpNum = memory.getInt(offset + WorkCompletionLayout.QP_NUM);
			if ((opcode & RECEIVE) != 0) {
				readReceived(completion, memory, offset);
			}
			else {
				completion.flags = 0;
			}
		}
	}

	// What only a received message has.
	private static void readReceived(WorkCompletion completion, ByteBuffer memory, int offset) {
		completion.immediateData = NetworkOrder.convert(memory.getInt(offset + WorkCompletionLayout.IMM_DATA));
		long pair = memory.getLong(offset + WorkCompletionLayout.SOURCE_QP);
		completion.sourceQp = NativeOrder.first(pair);
		completion.flags = NativeOrder.second(pair);
		completion.pkeyIndex = Short.toUnsignedInt(memory.getShort(offset + WorkCompletionLayout.PKEY_INDEX));
		completion.sourceLid = Short.toUnsignedInt(memory.getShort(offset + WorkCompletionLayout.SOURCE_LID));
		completion.serviceLevel = Byte.toUnsignedInt(memory.get(offset + WorkCompletionLayout.SERVICE_LEVEL));
		completion.destinationPathBits = Byte
			.toUnsignedInt(memory.get(offset + WorkCompletionLayout.DESTINATION_PATH_BITS));
	}

}
